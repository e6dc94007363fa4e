package fakewhatsapp

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"go.mau.fi/libsignal/ecc"
	waBinary "go.mau.fi/whatsmeow/binary"
	"go.mau.fi/whatsmeow/proto/waAdv"
	"go.mau.fi/whatsmeow/types"
	"google.golang.org/protobuf/proto"
)

func (c *conn) offerCodes() error {
	refs := make([]waBinary.Node, 6)
	c.s.mu.Lock()
	for i := range refs {
		ref := "2@" + randomID(12)
		refs[i] = waBinary.Node{Tag: "ref", Content: []byte(ref)}
		c.s.pending[ref] = c
	}
	failure := c.s.faults.ConnectFailure
	c.s.mu.Unlock()
	if failure != nil {
		return c.fail(failure)
	}
	return c.send(waBinary.Node{
		Tag: "iq", Attrs: waBinary.Attrs{"from": types.ServerJID, "type": "set", "id": randomID(4), "xmlns": "md"},
		Content: []waBinary.Node{{Tag: "pair-device", Content: refs}},
	})
}

// RequirePasskey makes the account require a passkey for pairing a device. options is what the client needs for it, as
// WhatsApp sends it.
func (s *Server) RequirePasskey(phone, options string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users[phone].passkey = options
}

// ScanWithOldPhone simulates a phone whose version can't link devices. The client learns of it, and nothing else happens.
func (s *Server) ScanWithOldPhone(text string) error {
	_, text, _ = strings.Cut(text, "#")
	ref, _, _ := strings.Cut(text, ",")
	s.mu.Lock()
	c := s.pending[ref]
	s.mu.Unlock()
	if c == nil {
		return errors.New("nobody offers this QR code")
	}
	return c.send(waBinary.Node{Tag: "ib", Attrs: waBinary.Attrs{"from": types.ServerJID}, Content: []waBinary.Node{{Tag: "downgrade_webclient"}}})
}

// unlink removes a device from its phone.
func (s *Server) unlink(u *user, d *device) {
	s.mu.Lock()
	known := u != nil && d != nil && u.devices[d.number.Device] == d
	if known {
		u.remove(d.number.Device)
	}
	s.mu.Unlock()
	if known {
		s.announce(u)
	}
}

// Unlink removes all devices from a phone, as WhatsApp does when it bans the account. It doesn't end their connections.
func (s *Server) Unlink(phone string) {
	s.mu.Lock()
	u := s.users[phone]
	for id := range u.devices {
		u.remove(id)
	}
	s.mu.Unlock()
	s.announce(u)
}

// announce tells the devices of other people that a person's devices have changed, if they have asked for them. Otherwise,
// they would send to the devices that they know.
func (s *Server) announce(u *user) {
	s.mu.Lock()
	var others []*device
	for other := range u.knownTo {
		for _, d := range other.devices {
			if other != u {
				others = append(others, d)
			}
		}
	}
	s.mu.Unlock()
	for _, d := range others {
		for _, from := range []types.JID{types.NewJID(u.phone, types.DefaultUserServer), types.NewJID(u.lid, types.HiddenUserServer)} { // clients know them by one of the two
			s.deliver(d, waBinary.Node{
				Tag: "notification", Attrs: waBinary.Attrs{"from": from, "type": "devices", "id": randomID(4), "t": unixNow()},
				Content: []waBinary.Node{{Tag: "update"}},
			})
		}
	}
}

// Devices returns the number of devices that are linked to a phone number.
func (s *Server) Devices(phone string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.users[phone].devices)
}

// RotateQR makes the connections that offer codes choose another secret, which invalidates the displayed codes.
func (s *Server) RotateQR() error {
	s.mu.Lock()
	offering := map[*conn]bool{}
	for _, c := range s.pending {
		offering[c] = true
	}
	s.mu.Unlock()
	for c := range offering {
		err := c.send(waBinary.Node{
			Tag: "notification", Attrs: waBinary.Attrs{"from": types.ServerJID, "type": "companion_reg_refresh", "id": randomID(4), "t": unixNow()},
			Content: []waBinary.Node{{Tag: "pair-device-rotate-qr"}},
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// DropPairings ends the connections that offer codes.
func (s *Server) DropPairings() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for ref, c := range s.pending {
		_ = c.ws.CloseNow()
		delete(s.pending, ref)
	}
}

// ScanQR simulates the phone. It reads the QR code's text, signs the device's identity, and notifies the server.
func (s *Server) ScanQR(text, phone string) error {
	_, text, _ = strings.Cut(text, "#")
	parts := strings.Split(text, ",")
	if len(parts) < 4 {
		return errors.New("the text is no QR code of WhatsApp's")
	}
	identity, err := base64.StdEncoding.DecodeString(parts[2])
	if err != nil {
		return err
	}
	secret, err := base64.StdEncoding.DecodeString(parts[3])
	if err != nil {
		return err
	}
	s.mu.Lock()
	c := s.pending[parts[0]]
	s.mu.Unlock()
	if c == nil {
		return errors.New("nobody offers this QR code")
	}
	return c.link(phone, identity, secret)
}

// link turns the connection's client into a device of the phone.
func (c *conn) link(phone string, identity, secret []byte) error {
	s := c.s
	s.mu.Lock()
	u := s.users[phone]
	if u == nil || !s.conns[c] {
		s.mu.Unlock()
		return errors.New("nobody has this phone number, or the client is gone")
	}
	options := u.passkey
	if options != "" {
		c.passkey = &passkeyPairing{phone: phone, secret: secret}
		_ = json.Unmarshal([]byte(options), &c.passkey.options) // a test can send an invalid text
	}
	s.mu.Unlock()
	if options != "" {
		return c.send(waBinary.Node{
			Tag: "notification", Attrs: waBinary.Attrs{"from": types.ServerJID, "type": "passkey_prologue_request", "id": randomID(4), "t": unixNow()},
			Content: []waBinary.Node{{Tag: "passkey_request_options", Content: []byte(options)}},
		})
	}
	return c.admit(phone, identity, secret)
}

// admit adds the connection's client to the phone's devices.
func (c *conn) admit(phone string, identity, secret []byte) error {
	s := c.s
	s.mu.Lock()
	u := s.users[phone]
	d := &device{
		number: types.JID{User: u.phone, Device: u.next, Server: types.DefaultUserServer},
		lid:    types.JID{User: u.lid, Device: u.next, Server: types.HiddenUserServer}, noise: c.noise,
	}
	u.devices[u.next] = d
	u.next++
	c.linking, c.user = d, u
	s.mu.Unlock()

	details, err := proto.Marshal(&waAdv.ADVDeviceIdentity{
		RawID: proto.Uint32(1), Timestamp: proto.Uint64(uint64(time.Now().Unix())), KeyIndex: proto.Uint32(uint32(d.number.Device)),
	})
	if err != nil {
		return err
	}
	signature := ecc.CalculateSignature(ecc.NewDjbECPrivateKey(*u.account.Priv), append(append([]byte{6, 0}, details...), identity...))
	signed, err := proto.Marshal(&waAdv.ADVSignedDeviceIdentity{Details: details, AccountSignatureKey: u.account.Pub[:], AccountSignature: signature[:]})
	if err != nil {
		return err
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write(signed)
	container, err := proto.Marshal(&waAdv.ADVSignedDeviceIdentityHMAC{Details: signed, HMAC: mac.Sum(nil)})
	if err != nil {
		return err
	}
	return c.send(waBinary.Node{
		Tag: "iq", Attrs: waBinary.Attrs{"from": types.ServerJID, "type": "set", "id": randomID(4), "t": unixNow()},
		Content: []waBinary.Node{{Tag: "pair-success", Content: []waBinary.Node{
			{Tag: "device-identity", Content: container},
			{Tag: "device", Attrs: waBinary.Attrs{"jid": d.number, "lid": d.lid}},
			{Tag: "platform", Attrs: waBinary.Attrs{"name": "android"}},
		}}},
	})
}

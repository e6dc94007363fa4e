package fakewhatsapp

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/pbkdf2"
	"crypto/sha256"
	"errors"
	"strings"

	"go.mau.fi/util/random"
	waBinary "go.mau.fi/whatsmeow/binary"
	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/util/hkdfutil"
	"go.mau.fi/whatsmeow/util/keys"
	"golang.org/x/crypto/curve25519"
)

// codePairing is a pairing with a pairing code, from the device's first request to its last.
type codePairing struct {
	conn              *conn
	ref               []byte
	wrapped           []byte // the device's ephemeral key, encrypted with the code
	device, ephemeral []byte // the device's decrypted ephemeral key, and the phone's private one
}

// hello stores the request of a device that asks for a code, and returns the pairing's ref.
func (c *conn) hello(phone string, n waBinary.Node) []byte {
	wrapped, _ := n.GetChildByTag("link_code_pairing_wrapped_companion_ephemeral_pub").Content.([]byte)
	p := &codePairing{conn: c, ref: []byte(randomID(8)), wrapped: wrapped}
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	c.s.codes[phone] = p
	return p.ref
}

// wrap encrypts or decrypts a public key with a code.
func wrap(code string, salt, iv, key []byte) ([]byte, error) {
	derived, err := pbkdf2.Key(sha256.New, code, salt, 2<<16, 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(derived)
	if err != nil {
		return nil, err
	}
	out := make([]byte, len(key))
	cipher.NewCTR(block, iv).XORKeyStream(out, key)
	return out, nil
}

// EnterCode simulates the phone when its owner types the code that the device shows.
func (s *Server) EnterCode(code, phone string) error {
	code = strings.ReplaceAll(code, "-", "")
	s.mu.Lock()
	p, u := s.codes[phone], s.users[phone]
	s.mu.Unlock()
	if p == nil || u == nil || len(p.wrapped) != 80 {
		return errors.New("nobody offers a code to this phone number")
	}
	device, err := wrap(code, p.wrapped[:32], p.wrapped[32:48], p.wrapped[48:])
	if err != nil {
		return err
	}
	pair, salt, iv := keys.NewKeyPair(), random.Bytes(32), random.Bytes(16)
	own, err := wrap(code, salt, iv, pair.Pub[:])
	if err != nil {
		return err
	}
	s.mu.Lock()
	p.device, p.ephemeral = device, pair.Priv[:]
	s.mu.Unlock()
	return p.conn.send(waBinary.Node{
		Tag: "notification", Attrs: waBinary.Attrs{"from": types.ServerJID, "type": "link_code_companion_reg", "id": randomID(4), "t": unixNow()},
		Content: []waBinary.Node{{Tag: "link_code_companion_reg", Attrs: waBinary.Attrs{"stage": "primary_hello"}, Content: []waBinary.Node{
			{Tag: "link_code_pairing_ref", Content: p.ref},
			{Tag: "link_code_pairing_wrapped_primary_ephemeral_pub", Content: append(append(salt, iv...), own...)},
			{Tag: "primary_identity_pub", Content: u.account.Pub[:]},
		}}},
	})
}

// finish derives the secret that the device has chosen and links the device.
func (c *conn) finish(phone string, n waBinary.Node) error {
	c.s.mu.Lock()
	p, u := c.s.codes[phone], c.s.users[phone]
	delete(c.s.codes, phone)
	c.s.mu.Unlock()
	bundle, _ := n.GetChildByTag("link_code_pairing_wrapped_key_bundle").Content.([]byte)
	identity, _ := n.GetChildByTag("companion_identity_public").Content.([]byte)
	if p == nil || len(bundle) < 44 {
		return errors.New("nobody has typed the code")
	}
	shared, err := curve25519.X25519(p.ephemeral, p.device)
	if err != nil {
		return err
	}
	key := hkdfutil.SHA256(shared, bundle[:32], []byte("link_code_pairing_key_bundle_encryption_key"), 32)
	plain, err := gcm(key).Open(nil, bundle[32:44], bundle[44:], nil)
	if err != nil || len(plain) != 96 {
		return errors.New("the key bundle can't be opened: the code is another")
	}
	identityShared, err := curve25519.X25519(u.account.Priv[:], identity)
	if err != nil {
		return err
	}
	secret := hkdfutil.SHA256(append(append(shared, identityShared...), plain[64:]...), nil, []byte("adv_secret"), 32)
	return c.link(phone, identity, secret)
}

package fakewhatsapp

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"go.mau.fi/util/random"
	waBinary "go.mau.fi/whatsmeow/binary"
	"go.mau.fi/whatsmeow/proto/waCompanionReg"
	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/util/hkdfutil"
	"go.mau.fi/whatsmeow/util/keys"
	"golang.org/x/crypto/curve25519"
	"google.golang.org/protobuf/proto"
)

// passkeyPairing is a pairing that needs a passkey, from the scan to the device's request.
type passkeyPairing struct {
	phone   string
	secret  []byte // what the device has shown in its first code
	ref     string
	options types.WebAuthnPublicKey

	companion *waCompanionReg.CompanionEphemeralIdentity
	ident     []byte // companion, as it was sent
	hash      []byte // of ident and the device's nonce
	ephemeral *keys.KeyPair
	key       []byte // encrypts the device's request
}

// signed returns the signature of the passkey for a challenge.
func signed(challenge []byte) []byte {
	mac := hmac.New(sha256.New, []byte("the passkey"))
	mac.Write(challenge)
	return mac.Sum(nil)
}

// UsePasskey simulates a browser in which the owner of the account uses the passkey. It returns the response to a request.
func UsePasskey(request []byte) ([]byte, error) {
	var options types.WebAuthnPublicKey
	if err := json.Unmarshal(request, &options); err != nil {
		return nil, err
	}
	return json.Marshal(types.WebAuthnResponse{
		ID: "AQID", RawID: []byte{1, 2, 3}, Type: "public-key",
		Response: types.WebAuthnResponseData{ClientDataJSON: options.Challenge, AuthenticatorData: []byte{4}, Signature: signed(options.Challenge)},
	})
}

// prologue checks the response of the passkey, and passes the pairing on to the phone, which answers it.
func (p *passkeyPairing) prologue(n waBinary.Node) (waBinary.Node, error) {
	content := func(tag string) []byte {
		b, _ := n.GetChildByTag(tag).Content.([]byte)
		return b
	}
	var response types.WebAuthnResponse
	if err := json.Unmarshal(content("webauthn_assertion"), &response); err != nil {
		return waBinary.Node{}, err
	}
	payload := content("prologue_payload")
	proof := hmac.New(sha256.New, hkdfutil.SHA256(p.secret, nil, []byte("shortcake-passkey-handoff-v1"), 32))
	proof.Write(payload)
	if !hmac.Equal(response.Response.Signature, signed(p.options.Challenge)) || !hmac.Equal(content("pairing_handoff_proof"), proof.Sum(nil)) {
		return waBinary.Node{}, errors.New("the passkey or the code is another")
	}
	var prologue waCompanionReg.ProloguePayload
	if err := proto.Unmarshal(payload, &prologue); err != nil {
		return waBinary.Node{}, err
	}
	p.ident, p.hash, p.companion = prologue.GetCompanionEphemeralIdentity(), prologue.GetCommitment().GetHash(), &waCompanionReg.CompanionEphemeralIdentity{}
	if err := proto.Unmarshal(p.ident, p.companion); err != nil || p.companion.GetRef() != p.ref {
		return waBinary.Node{}, errors.Join(err, errors.New("another pairing"))
	}
	p.ephemeral = keys.NewKeyPair()
	identity, err := proto.Marshal(&waCompanionReg.PrimaryEphemeralIdentity{PublicKey: p.ephemeral.Pub[:], Nonce: random.Bytes(32)})
	return waBinary.Node{
		Tag: "notification", Attrs: waBinary.Attrs{"from": types.ServerJID, "type": "crsc_continuation", "id": randomID(4), "t": unixNow()},
		Content: []waBinary.Node{{Tag: "primary_ephemeral_identity", Content: identity}},
	}, err
}

// confirm checks the device's nonce and derives the key of its request.
func (p *passkeyPairing) confirm(nonce []byte) error {
	if hash := sha256.Sum256(append(append([]byte(nil), p.ident...), nonce...)); !hmac.Equal(hash[:], p.hash) {
		return errors.New("the nonce is another")
	}
	shared, err := curve25519.X25519(p.ephemeral.Priv[:], p.companion.GetPublicKey())
	p.key = hkdfutil.SHA256(shared, []byte(fmt.Sprintf("Companion Pairing %d with ref %s", p.companion.GetDeviceType(), p.ref)), []byte("Pairing Information Encryption Key"), 32)
	return err
}

// request decrypts the device's request.
func (p *passkeyPairing) request(b []byte) (*waCompanionReg.PairingRequest, error) {
	var wrapped waCompanionReg.EncryptedPairingRequest
	if err := proto.Unmarshal(b, &wrapped); err != nil || len(p.key) == 0 || len(wrapped.GetIV()) != 12 {
		return nil, errors.Join(err, errors.New("the request comes too early"))
	}
	plain, err := gcm(p.key).Open(nil, wrapped.GetIV(), wrapped.GetEncryptedPayload(), nil)
	if err != nil {
		return nil, err
	}
	var request waCompanionReg.PairingRequest
	return &request, proto.Unmarshal(plain, &request)
}

// passkeySteps responds to the steps of a pairing with a passkey. ok is false for other queries.
func (c *conn) passkeySteps(n *waBinary.Node) (open, ok bool) {
	kids := n.GetChildren()
	c.s.mu.Lock()
	p := c.passkey
	c.s.mu.Unlock()
	if p == nil || len(kids) == 0 {
		return true, false
	}
	content, _ := kids[0].Content.([]byte)
	var err error
	switch kids[0].Tag {
	case "ref":
		p.ref = randomID(8)
		return c.result(n, waBinary.Node{Tag: "ref", Content: []byte(p.ref)}), true
	case "passkey_prologue":
		var next waBinary.Node
		if next, err = p.prologue(kids[0]); err == nil {
			return c.result(n) && c.send(next) == nil, true
		}
	case "companion_nonce":
		if err = p.confirm(content); err == nil {
			return c.result(n), true
		}
	case "encrypted_pairing_request":
		var request *waCompanionReg.PairingRequest
		if request, err = p.request(content); err == nil {
			return c.result(n) && c.admit(p.phone, request.GetCompanionIdentityKey(), request.GetAdvSecret()) == nil, true
		}
	default:
		return true, false
	}
	return c.refuse(n, http.StatusBadRequest), true
}

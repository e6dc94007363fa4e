package admin

import (
	"encoding/base64"

	"griot/internal/seal"
)

const wrongKey = "The master key is not the server's."

// bearer returns what a request shows that comes from who has the master key.
func bearer(key *seal.Key) string {
	return "Bearer " + base64.RawURLEncoding.EncodeToString(key.Derive("admin"))
}

// The bearer would be of use for ever to whoever took the server's port while no
// server ran. So the client shows it only to who has the master key already.
const (
	helloPath  = Path + "hello" // the names of verbs have a dot
	nonceBytes = 32
)

type greeting struct {
	Nonce string `json:"nonce"`
}

type greeted struct {
	Proof string `json:"proof"`
}

// proof returns what only who has the master key can answer to a nonce.
func proof(key *seal.Key, nonce string) string {
	return base64.RawURLEncoding.EncodeToString(seal.MAC(key.Derive("admin-server"), nonce))
}

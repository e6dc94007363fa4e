package admin

import (
	"encoding/base64"

	"example.com/griot/internal/seal"
)

// bearer returns the credential of a request, which only the holder of the master key can make.
func bearer(key *seal.Key) string {
	return "Bearer " + base64.RawURLEncoding.EncodeToString(key.Derive("admin"))
}

// Another program may take the server's port while no server runs, and the bearer never expires. So the client first asks
// for a proof that the server has the master key.
const (
	helloPath  = Path + "hello" // the names of verbs have a dot
	nonceBytes = 32
)

type helloRequest struct {
	Nonce string `json:"nonce"`
}

type helloResponse struct {
	Proof string `json:"proof"`
	Key   string `json:"key"` // the name of the server's key, for those that have another one
}

// proof returns the answer to a nonce, which only the holder of the master key can make.
func proof(key *seal.Key, nonce string) string {
	return base64.RawURLEncoding.EncodeToString(seal.MAC(key.Derive("admin-server"), nonce))
}

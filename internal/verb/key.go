package verb

import (
	"encoding/base64"

	"example.com/griot/internal/seal"
)

// bearer returns the credential of a request. Computing it requires the master key.
func bearer(key *seal.Key) string {
	return "Bearer " + base64.RawURLEncoding.EncodeToString(key.Derive("admin"))
}

// Another program can take the server's port while no server runs, and the bearer never expires. So the client first
// requests a proof that the server has the master key.
const (
	helloPath  = Path + "hello" // verb names contain a dot, so this is none
	nonceBytes = 32
)

type helloRequest struct {
	Nonce string `json:"nonce"`
}

type helloResponse struct {
	Proof string `json:"proof"`
	Key   string `json:"key"` // the name of the server's key, for clients that have another key
}

// proof returns the response to a nonce. Computing it requires the master key.
func proof(key *seal.Key, nonce string) string {
	return base64.RawURLEncoding.EncodeToString(seal.MAC(key.Derive("admin-server"), nonce))
}

// Package loginclient signs people in at a login service, as any other application does: an OAuth client with state and
// PKCE, which exchanges the code and verifies the token by the service's published keys. It talks to the service by HTTP
// at its public address only.
package loginclient

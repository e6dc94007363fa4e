// Package oauth has the rules of the protocol that need no state: which redirect
// addresses a client may register and which requests match them (RFC 6749 §3.1.2,
// RFC 8252 §7), PKCE (RFC 7636), and the server's metadata (RFC 8414).
package oauth

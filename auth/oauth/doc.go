// Package oauth provides the stateless rules of the protocol: the redirect addresses
// that a client can register and the matching of requests (RFC 6749 §3.1.2, RFC 8252
// §7), PKCE (RFC 7636), and the server's metadata (RFC 8414).
package oauth

// Package oauth knows the words of the protocol and none of its state: which
// redirect addresses a client may register and which requests match them
// (RFC 6749 §3.1.2, RFC 8252 §7), how a code verifier answers its challenge
// (PKCE, RFC 7636), and what the server says about itself (RFC 8414).
package oauth

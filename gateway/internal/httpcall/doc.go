// Package httpcall is the base of the drivers that use HTTP. It contains their common settings, a client whose errors
// show whether the request might have been submitted, and a handler for the provider's webhooks.
//
// A request counts as submitted once the last byte of its body was passed to a connection that wrote anything at all.
// Before that, the provider cannot have the whole request, so the attempt can be repeated. After that, only a
// response shows the outcome. The package counts bytes above TLS and writes no more bytes of a failed request, so
// that its error stays correct. Requests use HTTP/1.1, one at a time on a connection, so that a broken connection
// affects only one message. A request is repeated only if none of its bytes was written, because a kept-alive
// connection had died or had been idle for too long. Redirects are not followed, and the environment's proxies are
// not used. Errors contain only the texts of the network and of this package, never data from the peer.
package httpcall

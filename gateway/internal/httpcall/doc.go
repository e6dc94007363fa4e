// Package httpcall is the base of the drivers that speak HTTP: their common settings, a client whose errors
// say whether the request may have been handed over, and a handler for the provider's webhooks.
//
// A request counts as handed over once the last byte of its body was given to a
// connection that wrote anything at all. Before that the provider cannot have it
// whole, and the attempt may be repeated; after that only an answer shows the outcome. The
// package counts bytes above TLS and writes nothing more of a request that has
// failed, so that its error stays true. Requests use HTTP/1.1, one at a time on a
// connection, so that a broken connection affects one message only.
// A request is repeated only if none of its bytes was written: because a connection
// that was kept open had died, or had been idle for too long. Redirects are not
// followed, and the environment's proxies are not used. Errors hold what the network
// and this package say, never what the peer sent.
package httpcall

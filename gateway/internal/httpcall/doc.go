// Package httpcall is what drivers that speak HTTP share: calls to a provider
// whose failures say whether the request may have been taken, and a door for the
// provider's calls to us.
//
// A request has been handed over once the last byte of its body was given to a
// connection that wrote anything at all. Before that the provider cannot have it
// whole, and the attempt may be repeated; from then on only an answer tells. The
// package counts bytes above TLS and stops a request that has failed from being
// written any further, so that the verdict holds. Requests go over HTTP/1.1, one
// at a time on a connection: what one connection suffers is one message's.
// Nothing is repeated but a request of which no byte left a kept connection that
// had died, or had been idle for longer than the peer surely keeps it. No redirect
// is followed, and no proxy is taken from the environment. What a peer says in
// words stays here: errors carry what the network and we ourselves say.
package httpcall

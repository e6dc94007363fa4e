// Package peercheck finds out how a server sees a request that arrives through its public address. A proxy that hides
// its clients' addresses, or lets clients choose them, defeats the limits for each address.
//
// The server only responds to a holder of the master key: a request contains a nonce that is signed with the key, for a
// short time and for one service. Any other request is handled as if the path didn't exist. The response is signed,
// too, so the client knows that it comes from a server of this deployment. It only describes the request's own
// connection.
package peercheck

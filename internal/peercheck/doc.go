// Package peercheck finds out what a server sees of a request that comes through its public address: a proxy that hides its
// clients' addresses, or lets them choose one, defeats the limits for each address.
//
// The server answers only to who has the master key: a request has a nonce that is signed with it, for a short time and for one
// service. Any other request goes on as if the path were not there. The answer is signed too, so that it comes from a server of
// this deployment; it tells nothing but what the request's own connection looks like.
package peercheck

// Package token signs what a redeemed code is exchanged for: a JWT (RS256,
// RFC 9068) that says who signed in, and publishes the keys with which anyone
// can check it.
//
// The signing key is made once, by whichever node is first; its private half is
// stored sealed under the master key. Signing costs more than everything else in
// an exchange, so it happens outside of transactions and in as many goroutines as
// there are cores, no more: the polls of waiting browsers stay fast meanwhile.
package token

// Package token signs what a redeemed code is exchanged for: a JWT (RS256,
// RFC 9068) that says who signed in, publishes the keys with which anyone can
// check it, and replaces them.
//
// The first signing key is made by whichever node is first; private halves are
// stored sealed under the master key, until their key has left the JWKS. Every 90 days, or when told
// to, a next key is published; it signs eleven minutes later, when no cache can be
// without it, and the one before stays published for a day. In an emergency a new key signs at
// once and all others are worth nothing from then on. status.go has the
// table; whatever makes or replaces a key first changes the row of the active one, so that of
// several nodes one does it and the others find it done.
//
// Signing costs more than everything else in an exchange, so it happens outside of
// transactions and in as many goroutines as there are cores, no more: the polls of
// waiting browsers stay fast meanwhile.
package token

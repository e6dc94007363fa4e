// Package token signs what a redeemed code is exchanged for: a JWT (RS256,
// RFC 9068) that says who signed in, publishes the keys with which anyone can
// check it, and replaces them.
//
// The first node generates the first signing key. Private keys are stored sealed
// under the master key, until their key has left the JWKS. Every 90 days, or on
// request, a next key is published. It signs eleven minutes later, when every cache
// has it; the key before stays published for a day. In an emergency a new key signs
// at once, and all others are retired. status.go has the status table. Whatever
// generates or replaces a key first changes the row of the active one, so that of
// several nodes one does it and the others find it done.
//
// Signing costs more than everything else in an exchange, so it happens outside of
// transactions and in at most as many goroutines as there are cores: the polls of
// waiting browsers stay fast meanwhile.
package token

// Package token signs access tokens. When a code is redeemed, it signs a JWT (RS256,
// RFC 9068) about the signed-in person. It also publishes the keys for checking tokens,
// and replaces them.
//
// The first node generates the first signing key. Private keys are stored sealed under
// the master key, until their key has left the JWKS. Every 90 days, or on request, a
// next key is published. It signs eleven minutes later, when every cache has it. The
// previous key stays published for a day. In an emergency a new key signs immediately,
// and all others are retired. status.go has the status table. Each operation that
// generates or replaces a key first changes the row of the active one, so that only one
// of several nodes does it and the others find it done.
//
// Signing costs more than the rest of an exchange. So it happens outside of
// transactions and in at most as many goroutines as there are cores, which keeps the
// polls of waiting browsers fast.
package token

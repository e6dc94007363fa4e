// Package send is the only way out. [Engine.Submit] accepts a message in one
// transaction (idempotency key, quota, row) before anything else happens; then it
// is carried to a gateway, and a second transaction writes down how that ended,
// with the webhook event beside it.
//
// Between the two a process may die. The row then stays SENDING until its lease
// runs out, and the next worker decides what is safe: a gateway that deduplicates
// our reference is asked again; with any other the message waits for a receipt and
// then ends as outcome_unknown. It is never sent again on a guess.
package send

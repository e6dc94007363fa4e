// Package quota knows what an account has used of a UTC day, what a recipient has
// been sent, and what a sender that warms up has sent (document 2 §1 and §7).
// messaging/outbox counts what it accepts, in the transaction that accepts it.
package quota

// Package quota stores the counts of a UTC day: messages of an account, to a recipient, and of a sender in a warm-up.
// messaging/outbox counts messages in the transaction that accepts them.
package quota

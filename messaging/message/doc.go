// Package message is the noun of the messaging house: a message that was
// accepted, what was asked for, and the table of statuses that it goes through
// (document 2 §3, DESIGN §8). Its row is also its place in the queue: due_at says
// when it is next to be looked at, attempt is the fence that keeps a worker which
// lost its lease from finishing it.
package message

// Package message is the noun of the messaging service: a message that was
// accepted, what was asked for, and the table of statuses that it goes through
// . Its row is read here; messaging/outbox alone writes it, and
// messaging/delivery alone decides what it becomes. due_at says when it is next to
// be looked at, and attempt is its version, which fences every write.
package message

// Package message has the messages of the messaging service: the request, the accepted
// message with its timeline and routes, and the table of statuses. It reads messages'
// rows; only messaging/outbox writes them, and only messaging/delivery decides their
// next status. due_at is when a message is next to be looked at, and attempt is the
// row's version, which fences every write.
package message

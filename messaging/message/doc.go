// Package message contains the messages of the messaging service: the request, the accepted message with its timeline
// and routes, and the table of statuses. It reads messages' rows. Only messaging/outbox writes them, and only
// messaging/delivery decides their next status. due_at is the time of a message's next check, and attempt is the
// row's version, which guards every write.
package message

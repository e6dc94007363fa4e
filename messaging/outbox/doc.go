// Package outbox stores the rows of messages. No other package writes them. Each write is a value. An [Acceptance]
// stores a new message with its idempotency key, its quota, and its events. [Store.Begin] marks a message as SENDING
// just before its gateway is called. A [Transition] stores a decided change of a message.
//
// Each write is guarded: it contains the version of the row for which it was decided, and changes nothing if the row
// has another version. On PostgreSQL, where several nodes send messages, Begin and acceptances that start a
// submission are also guarded by the node's lease ([Store.RenewLease]), so that a node calls no gateway for a sender
// that another node has.
//
// The status shows the progress of a message. QUEUED means that no call is in progress, regardless of which process
// holds the message in memory. SENDING means that a call might be in progress, or was when the process died.
package outbox

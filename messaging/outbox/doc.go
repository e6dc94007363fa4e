// Package outbox stores the rows of messages, and is the only package that writes
// them. Each write is a value: an [Acceptance] stores a new message with its
// idempotency key, its unit of the quota, and its events; [Store.Begin] marks a
// message as SENDING just before its gateway is called; a [Transition] stores a
// decided change of a message.
//
// Each write is fenced: it names the version of the row that it was decided about,
// and changes nothing when the row has another. On PostgreSQL, where several nodes
// deliver, Begin and acceptances that begin are fenced by the node's lease as well
// ([Store.RenewLease]): a node calls no gateway for a sender that another node has.
//
// A status says where the message is. QUEUED: no call is under way, whoever holds
// the message in memory. SENDING: a call may be under way, or was when the process died.
package outbox

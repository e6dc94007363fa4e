// Package outbox keeps messages until they have ended, and is the only one that
// writes their rows. What is written is a value: an [Acceptance] stores a new
// message with its idempotency key, its unit of the quota and what goes with it;
// [Store.Begin] marks one as being handed over, just before its gateway is called;
// a [Transition] writes down what was decided since.
//
// Each write is fenced: it names the version of the row that it was decided about,
// and changes nothing when the row has another. On PostgreSQL, where several nodes
// deliver, acceptances that begin and Begin are fenced by the node's lease as well
// ([Store.Join]): nobody calls a gateway whose senders have gone to another node.
//
// A status says where the message is. QUEUED: no call is under way, whoever holds
// the message in memory. SENDING: a call may be under way, or was when the process died.
package outbox

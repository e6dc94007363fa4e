package outbox

import (
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/webhooks"
)

// An Acceptance is a message to store, with the data that is stored with it. Either all of it is stored or nothing.
type Acceptance struct {
	Message          *message.Message // QUEUED, SCHEDULED or SANDBOX; Accept sets its status and version
	Key, Fingerprint string           // the idempotency key and the request's fingerprint; empty: none
	DailyLimit       int64            // the account's limit; 0: none
	RecipientCap     int64            // messages per recipient and day; 0: none
	HasAliases       bool             // addresses of the account's recipients can be aliases of other addresses
	Events           []*webhooks.Event
	AlsoStore        func(*db.Tx, *message.Message) error // writes more data in the same transaction; nil: nothing. It might run twice

	// BeginUntil is set if the message can be submitted now. The message is then stored as SENDING, with its check at
	// this time, unless this node has lost its lease, an earlier message of the order key waits, or its recipient has
	// opted out, which Begin reports. If BeginUntil is zero, the message waits for its turn.
	BeginUntil time.Time

	Refusal Refusal // the reason why it was not stored
	Used    int64   // the daily use, including this message

	recipient, person string // of the request and of the route, as returned by [person.Find]; set in the transaction
}

// A Refusal is the reason why a message was not stored. The zero value, Stored, means that it was stored.
type Refusal int

// The refusals.
const (
	Stored         Refusal = iota
	KeyTaken               // the request repeats an earlier one
	KeyUsedByOther         // by another project, or in the sandbox ([message.Holder.Replays])
	NoQuota
	RecipientFull // the recipient's limit is reached
	AccountClosed
	AccountSuspended
	Skipped // an earlier item of the batch was refused
)

// Begun reports whether the message was stored as being submitted.
func (a *Acceptance) Begun() bool { return a.Refusal == Stored && a.Message.Status == message.Sending }

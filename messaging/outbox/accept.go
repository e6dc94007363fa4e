package outbox

import (
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/messaging/events"
	"example.com/griot/messaging/message"
)

// Acceptance is a message to be stored, and what goes with it: all or nothing.
type Acceptance struct {
	Message          *message.Message // QUEUED, SCHEDULED, or SANDBOX; Accept sets its status and version
	Key, Fingerprint string           // the idempotency key; empty: none
	DailyLimit       int64            // of the account; 0: none
	RecipientCap     int64            // messages a recipient and day; 0: none
	HasAliases       bool             // addresses of the account's recipients can be aliases of other addresses
	Events           []*events.Event
	AlsoStore        func(*db.Tx, *message.Message) error // writes more in the same transaction; nil: nothing. It may run twice

	// BeginUntil is set when the message may be handed over now: it is stored as SENDING, to be looked at again at this
	// time, unless this node has lost its lease, an earlier message of the order key waits, or its recipient has opted
	// out, about which Begin says so. Zero: it waits for its turn.
	BeginUntil time.Time

	Refusal Refusal // why it was not stored
	Used    int64   // of the day, with this message

	recipient, person string // of the request and of the route, as returned by [person.Find]; set in the transaction
}

// Refusal is why a message was not stored. Its zero value, Stored, means that it was.
type Refusal int

// The refusals.
const (
	Stored         Refusal = iota
	KeyTaken               // the request is a repetition
	KeyUsedByOther         // by another project, or in the sandbox ([message.Holder.Replays])
	NoQuota
	RecipientFull // the recipient's cap is reached
	AccountClosed
	AccountSuspended
	Skipped // an item before it in the batch was refused
)

// Begun reports whether the message was stored as being handed over.
func (a *Acceptance) Begun() bool { return a.Refusal == Stored && a.Message.Status == message.Sending }

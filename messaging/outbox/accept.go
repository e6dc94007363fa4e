package outbox

import (
	"time"

	"griot/internal/db"
	"griot/messaging/events"
	"griot/messaging/message"
)

// Acceptance is a message to be stored, and what goes with it: all or nothing.
type Acceptance struct {
	Message          *message.Message // QUEUED, SCHEDULED or SANDBOX; Accept sets its status and version
	Key, Fingerprint string           // the idempotency key; empty: none
	DailyLimit       int64            // of the account; 0: none
	RecipientCap     int64            // messages a recipient and day; 0: none
	Events           []*events.Event
	Beside           func(*db.Tx, *message.Message) error // what else is stored; nil: nothing. It may run twice

	// Until: the message may be handed over now. It is stored as SENDING then, to be looked at again at that time;
	// not where this node's lease is lost, or an earlier message of its order key waits. Zero: it waits its turn.
	Until time.Time

	Refusal Refusal // why it was not stored
	Used    int64   // of the day, with this message
}

// Refusal is why a message was not stored.
type Refusal int

// The refusals.
const (
	Stored     Refusal = iota
	KeyTaken           // the request is a repetition
	KeyForeign         // another's message has it ([message.Holder.Replays])
	NoQuota
	RecipientFull
	Skipped // one before it was refused
)

// Begun reports whether the message was stored as being handed over.
func (a *Acceptance) Begun() bool { return a.Refusal == Stored && a.Message.Status == message.Sending }

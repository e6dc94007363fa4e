package outbox

import (
	"time"

	"griot/gateway"
	"griot/internal/db"
	"griot/messaging/account"
	"griot/messaging/events"
	"griot/messaging/inbox"
	"griot/messaging/message"
	"griot/messaging/optout"
	"griot/messaging/quota"
)

// Transition is one decided change of a message, and what goes with it in the same transaction.
type Transition struct {
	Message *message.Message // as it is afterwards; its version is the one that it was decided about
	Steps   []message.Step   // what the timeline gets
	Moved   bool             // it is on another route
	Erase   bool             // a sensitive message's content is needed no more

	Refund      bool          // the day's unit, and the recipient's where HasCap, are given back
	HasCap      bool          // the account has a cap for recipients
	Event       *events.Event // for the account's endpoint; nil: none
	ProviderRef *ProviderRef  // by which receipts will name the message; nil: by our reference
	OptOut      *OptOut       // the recipient wants no more; nil: nothing is said of that
	DayBack     *SenderDay    // the day of a sender that warms up, which gets one back; nil: none
}

// ProviderRef is the id by which a gateway names a message in its receipts.
type ProviderRef struct {
	Gateway, ProviderID, Ref string
	CalledAt                 time.Time // receipts from before are of another message
	Quoted                   bool      // people quote the message by it: it is kept as long as the inbox
}

// OptOut is a recipient who wants no more messages on the message's channel.
type OptOut struct {
	Reason optout.Reason
	At     time.Time
}

// SenderDay is a day of a sender that warms up.
type SenderDay struct {
	SenderID   string
	Day, Limit int64
}

// Applied is what became of a transition.
type Applied struct {
	Done  bool   // false: the message has changed since the version that it was decided about
	Early *Early // a receipt that was faster than the id by which it names the message; nil: none

	optedOut bool // the recipient wants no more, and did until now
}

// steps is what is appended to the stored timeline.
func (t *Transition) steps() (text string) {
	for _, s := range t.Steps {
		text += message.Then(s)
	}
	return text
}

// values are the arguments of the statements that write a transition, in their order.
func (t *Transition) values() []any {
	m := t.Message
	return []any{
		flag(t.Erase), string(m.Status), m.Status.Rank(), db.NullMs(m.DueAt), db.NullMs(m.UnknownAt), db.Null(m.ProviderID), db.Null(m.StoredFailure()), t.steps(), m.Calls, m.Tries,
		db.NullMs(m.SentAt), db.NullMs(m.DeliveredAt), db.NullMs(m.ReadAt), db.NullMs(m.FailedAt), db.NullMs(m.CanceledAt), mayHaveLeft(m), m.ID, m.Version,
	}
}

func mayHaveLeft(m *message.Message) any {
	if m.HandedOver() {
		return 1
	}
	return nil
}

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

const (
	changed = `content = CASE WHEN $1 = 1 AND sensitive = 1 THEN '{}' ELSE content END, status = $2, rank = $3, due_at = $4, unknown_at = $5, provider_id = $6, failure = $7,
 timeline = timeline || $8, calls = $9, tries = $10, sent_at = $11, delivered_at = $12, read_at = $13, failed_at = $14, canceled_at = $15, may_have_left = $16, attempt = attempt + 1`
	fenced = ` WHERE id = $17 AND attempt = $18`

	updateStayed = `UPDATE messages SET ` + changed + fenced
	updateMoved  = `UPDATE messages SET ` + changed + `, channel = $19, sender_id = $20, from_address = $21, gateway = $22, address = $23, order_key = $24, hop = $25, left_behind = $26` + fenced
)

// update writes the message's row. It reports false when the row has another version.
func (t *Transition) update(tx *db.Tx) (bool, error) {
	text, args := updateStayed, t.values()
	if t.Moved {
		m := t.Message
		text, args = updateMoved, append(args, string(m.Channel), m.SenderID, m.From, m.Gateway, m.Address, m.OrderKey(), m.Hop, db.Null(m.StoredTried()))
	}
	n, err := tx.Exec(text, args...)
	return n == 1, err
}

// parts writes what goes with the message's row, but the event. Its rows are locked in the order in which acceptances
// lock theirs: quotas, caps, the inbox, references.
func (t *Transition) parts(tx *db.Tx, done *Applied) (err error) {
	m := t.Message
	if t.Refund {
		if err := quota.GiveBack(tx, m.AccountID, m.ChargedDay); err != nil {
			return err
		}
		if t.HasCap {
			if err := quota.GiveBackRecipient(tx, m.AccountID, m.Recipient(), m.ChargedDay); err != nil {
				return err
			}
		}
	}
	if d := t.DayBack; d != nil {
		if err := quota.GiveBackSender(tx, d.SenderID, d.Day); err != nil {
			return err
		}
	}
	if err := inbox.Touch(tx, m); err != nil {
		return err
	}
	if o := t.OptOut; o != nil {
		if done.optedOut, err = optout.Note(tx, m.AccountID, m.Channel, m.Address, o.Reason, o.At); err != nil {
			return err
		}
	}
	if r := t.ProviderRef; r != nil {
		done.Early, err = r.keep(tx)
	}
	return err
}

// plain reports whether nothing goes with the message's row but an event.
func (t *Transition) plain() bool {
	return !t.Refund && t.DayBack == nil && t.Message.ConversationID == "" && t.OptOut == nil && t.ProviderRef == nil
}

// Early is a receipt that came before what it is about was written down.
type Early struct {
	Ref    string // of the message, as soon as that is known
	Status gateway.ReceiptStatus
	Rank   int // of the status that it stands for
	At     time.Time
	Err    *gateway.Error
}

// write is the whole of a transition, in one transaction.
func (t *Transition) write(tx *db.Tx, done *Applied) (bool, error) {
	mine, err := t.update(tx)
	if err != nil || !mine {
		return false, err
	}
	if err := t.parts(tx, done); err != nil {
		return false, err
	}
	if done.optedOut {
		if err := account.NoteChange(tx); err != nil {
			return false, err
		}
	}
	if t.Event == nil {
		return true, nil
	}
	return true, events.Insert(tx, t.Event)
}

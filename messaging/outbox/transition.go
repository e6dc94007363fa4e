package outbox

import (
	"regexp"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/planted"
	"example.com/griot/internal/webhook"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/counts"
	"example.com/griot/messaging/events"
	"example.com/griot/messaging/inbox"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/optout"
	"example.com/griot/messaging/person"
	"example.com/griot/messaging/quota"
)

// Transition is one decided change of a message, with what is written in the same transaction.
type Transition struct {
	Before       *message.Message // as it was read, at the version that it was decided about
	Message      *message.Message // as it is afterward, with the version of Before
	Steps        []message.Step   // added to the timeline
	RouteChanged bool             // it is on another route
	EraseContent bool             // where the message is sensitive

	Refund          bool          // the day's unit, and the recipient's where HasRecipientCap, are given back
	HasRecipientCap bool          // the account has a cap for recipients
	Event           *events.Event // for the account's endpoint; nil: none
	ProviderRef     *ProviderRef  // by which receipts will name the message; nil: by our reference
	Recipient       string        // the recipient's id at the gateway, as in [gateway.Ack]; empty: not reported
	OptOut          *OptOut       // the recipient wants no more messages; nil: no change
	RefundSenderDay *SenderDay    // the day of a warming sender, which gets a unit back; nil: none
}

// ProviderRef is the id by which a gateway names a message in its receipts.
type ProviderRef struct {
	Gateway, ProviderID, Ref string
	CalledAt                 time.Time // the earliest call that can have had this id: receipts from before are of another message
	Quoted                   bool      // people quote the message by it: it is kept as long as the inbox
}

// OptOut is a recipient who wants no more messages on the message's channel.
type OptOut struct {
	Reason optout.Reason
	At     time.Time
}

// SenderDay is a day of a warming sender.
type SenderDay struct {
	SenderID   string
	Day, Limit int64
}

// Applied is the result of a transition.
type Applied struct {
	Changed        bool          // false: the message has changed since the version that it was decided about
	Early          *EarlyReceipt // a receipt that came before the id by which it names the message; nil: none
	AccountChanged bool          // what nodes keep of the account in memory is old, because an opt-out or an alias is new
}

// timelineText returns what is appended to the stored timeline.
func (t *Transition) timelineText() (text string) {
	for _, s := range t.Steps {
		text += message.AppendedStep(s)
	}
	return text
}

// unversioned returns a statement without its condition on a row's version where a test has planted that fault, and
// otherwise unchanged.
func unversioned(text string) string {
	if !planted.Has(planted.NoVersion) {
		return text
	}
	return versionCondition.ReplaceAllString(text, "AND CAST(${1} AS BIGINT) IS NOT NULL")
}

var versionCondition = regexp.MustCompile(`AND (?:m\.)?version = ([$\w.]+)`)

// update writes the message's row, and adds the change to log. It returns false when the row has another version.
func (t *Transition) update(tx *db.Tx, log *counts.Log) (bool, error) {
	text, args := updateSameRoute, t.values(stateColumns)
	if t.RouteChanged {
		text, args = updateNewRoute, append(args, t.values(routeColumns)...)
	}
	n, err := tx.Exec(unversioned(text), append(args, t.Message.ID, t.Message.Version)...)
	if n == 1 {
		log.Changed(t.Before, t.Message)
	}
	return n == 1, err
}

// writeRelated writes what goes with the message's row, except the event. It locks rows in the same order as
// acceptances do: quotas, caps, the inbox, references.
func (t *Transition) writeRelated(tx *db.Tx, done *Applied) (err error) {
	m := t.Message
	if t.Refund {
		if err := quota.Refund(tx, m.AccountID, m.ChargedDay); err != nil {
			return err
		}
		if t.HasRecipientCap {
			if err := quota.RefundRecipient(tx, m.AccountID, m.Recipient(), m.ChargedDay); err != nil {
				return err
			}
		}
	}
	if d := t.RefundSenderDay; d != nil {
		if err := quota.RefundSender(tx, d.SenderID, d.Day); err != nil {
			return err
		}
	}
	if err := inbox.CountChange(tx, m); err != nil {
		return err
	}
	if o := t.OptOut; o != nil {
		if done.AccountChanged, err = optout.Add(tx, m.AccountID, m.Channel, m.Address, o.Reason, o.At); err != nil {
			return err
		}
	}
	if t.hasAlias() {
		learned, err := person.Learn(tx, m.AccountID, m.Address, t.Recipient)
		if done.AccountChanged = done.AccountChanged || learned; err != nil {
			return err
		}
	}
	if r := t.ProviderRef; r != nil {
		done.Early, err = r.store(tx)
	}
	return err
}

// rowOnly reports whether writeRelated has nothing to write.
func (t *Transition) rowOnly() bool {
	return !t.Refund && t.RefundSenderDay == nil && t.Message.ConversationID == "" && t.OptOut == nil && t.ProviderRef == nil && !t.hasAlias()
}

// hasAlias reports whether the gateway knows the recipient under another form of the address.
func (t *Transition) hasAlias() bool {
	return t.Recipient != "" && t.Message.Options.GroupID == "" && !t.Message.Erased() && person.Form(t.Recipient) != person.Form(t.Message.Address)
}

// EarlyReceipt is a receipt that came before the gateway's id of its message was stored.
type EarlyReceipt struct {
	Ref    string // of the message, once that is known
	Status gateway.ReceiptStatus
	Rank   int // of the status that it stands for
	At     time.Time
	Err    *gateway.Error
}

// writeAlone is write, and writes the log of its change.
func (t *Transition) writeAlone(tx *db.Tx, signal *webhook.Signal) (done Applied, err error) {
	var log counts.Log
	if done.Changed, err = t.write(tx, signal, &done, &log); err != nil {
		return done, err
	}
	return done, log.Write(tx)
}

// write writes the whole of a transition. It returns false when the row has another version. The caller writes log.
func (t *Transition) write(tx *db.Tx, signal *webhook.Signal, done *Applied, log *counts.Log) (bool, error) {
	mine, err := t.update(tx, log)
	if err != nil || !mine {
		return false, err
	}
	if err := t.writeRelated(tx, done); err != nil {
		return false, err
	}
	if done.AccountChanged {
		if err := account.NoteChange(tx); err != nil {
			return false, err
		}
	}
	if t.Event == nil {
		return true, nil
	}
	return true, events.Insert(tx, signal, t.Event)
}

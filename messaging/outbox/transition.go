package outbox

import (
	"regexp"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/failpoint"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/counts"
	"example.com/griot/messaging/inbox"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/optout"
	"example.com/griot/messaging/person"
	"example.com/griot/messaging/quota"
	"example.com/griot/messaging/webhooks"
)

// A Transition is one decided change of a message, with the data that is written in the same transaction.
type Transition struct {
	Before       *message.Message // as it was read, at the version for which the change was decided
	Message      *message.Message // the new state, with the version of Before
	Steps        []message.Step   // added to the timeline
	RouteChanged bool             // it is on another route
	EraseContent bool             // if the message is sensitive

	Refund          bool            // the account's quota, and the recipient's if HasRecipientCap is set, are refunded
	HasRecipientCap bool            // the account has a limit for recipients
	Event           *webhooks.Event // for the account's endpoint; nil: none
	ProviderRef     *ProviderRef    // the ID by which receipts will identify the message; nil: our reference
	Recipient       string          // the recipient's ID at the gateway, as in [gateway.Ack]; empty: not reported
	OptOut          *optout.OptOut  // the recipient has opted out, of the channel of a route that isn't always that of Message; nil: no change
	RefundSenderDay *SenderDay      // the day of a sender in a warm-up that gets a refund; nil: none
}

// A ProviderRef is the ID by which a gateway identifies a message in its receipts.
type ProviderRef struct {
	Gateway, ProviderID, Ref string
	CalledAt                 time.Time // the earliest call that can have had this ID; earlier receipts belong to another message
	Quoted                   bool      // people can quote the message by this ID, so it is kept as long as the inbox
}

// A SenderDay is a day of a sender in a warm-up.
type SenderDay struct {
	SenderID   string
	Day, Limit int64
}

// Applied is the result of a transition.
type Applied struct {
	Changed        bool          // false: the message has changed since the version for which the change was decided
	Early          *EarlyReceipt // a receipt that arrived before the ID by which it identifies the message; nil: none
	AccountChanged bool          // the nodes' cached data of the account is outdated, because there is a new opt-out or alias
}

// timelineText returns the text to append to the stored timeline.
func (t *Transition) timelineText() (text string) {
	for _, s := range t.Steps {
		text += message.AppendedStep(s)
	}
	return text
}

// unversioned removes the condition on a row's version from a statement if a test has planted that fault. Otherwise,
// it returns the statement unchanged.
func unversioned(text string) string {
	if !failpoint.Has(failpoint.NoVersion) {
		return text
	}
	return versionCondition.ReplaceAllString(text, "AND CAST(${1} AS BIGINT) IS NOT NULL")
}

var versionCondition = regexp.MustCompile(`AND (?:m\.|messages\.)?version = ([$\w.]+)`)

// update writes the message's row and adds the change to log. It returns false if the row has another version.
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

// writeRelated writes the data related to the message's row, except the event. It locks rows in the same order as
// acceptances: quotas, limits, the inbox, references.
func (t *Transition) writeRelated(tx *db.Tx, people *person.Key, done *Applied) (err error) {
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
		if _, err := tx.Exec(`UPDATE messages SET charged_day = NULL WHERE id = $1`, m.ID); err != nil {
			return err
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
		if done.AccountChanged, err = optout.AddReported(tx, m.AccountID, o); err != nil {
			return err
		}
	}
	if t.hasAlias() {
		learned, err := t.learn(tx, people)
		if done.AccountChanged = done.AccountChanged || learned; err != nil {
			return err
		}
	}
	if r := t.ProviderRef; r != nil {
		done.Early, err = r.store(tx)
	}
	return err
}

// learn records the form or the number under which the gateway has acknowledged the message.
func (t *Transition) learn(tx *db.Tx, people *person.Key) (fresh bool, err error) {
	m := t.Message
	if person.KindOf(m.Address) == person.ID {
		return people.Join(tx, m.AccountID, m.Address, t.Recipient)
	}
	return person.Learn(tx, m.AccountID, m.Address, t.Recipient)
}

// rowOnly reports whether writeRelated has nothing to write.
func (t *Transition) rowOnly() bool {
	return !t.Refund && t.RefundSenderDay == nil && t.Message.ConversationID == "" && t.OptOut == nil && t.ProviderRef == nil && !t.hasAlias()
}

// hasAlias reports whether the gateway knows the recipient by another form of the address.
func (t *Transition) hasAlias() bool {
	return t.Recipient != "" && t.Message.Options.GroupID == "" && !t.Message.Erased() && person.Form(t.Recipient) != person.Form(t.Message.Address)
}

// An EarlyReceipt is a receipt that arrived before the gateway's ID of its message was stored.
type EarlyReceipt struct {
	Ref    string // of the message, once it is known
	Status gateway.ReceiptStatus
	Rank   int // of its status
	At     time.Time
	Err    *gateway.Error
	Price  message.Price // empty: not reported
}

// writeAlone is like write, and also writes the log of its change.
func (t *Transition) writeAlone(tx *db.Tx, s *Store) (done Applied, err error) {
	var log counts.Log
	if done.Changed, err = t.write(tx, s, &done, &log); err != nil {
		return done, err
	}
	return done, log.Write(tx)
}

// write writes a complete transition. It returns false if the row has another version. The caller writes log.
func (t *Transition) write(tx *db.Tx, s *Store, done *Applied, log *counts.Log) (bool, error) {
	mine, err := t.update(tx, log)
	if err != nil || !mine {
		return false, err
	}
	if err := t.writeRelated(tx, s.people, done); err != nil {
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
	return true, webhooks.Insert(tx, s.signal, t.Event)
}

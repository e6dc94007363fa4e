package events

import (
	"context"
	"strconv"

	"griot/internal/db"
	"griot/internal/id"
	"griot/internal/webhook"
	"griot/messaging/account"
	"griot/messaging/audit"
)

// Endpoints reads and changes accounts' endpoints and events, for accounts and operators.
type Endpoints struct{ webhook.Endpoints }

// NewEndpoints returns the accounts' endpoints, with the accounts' queue and audit log.
func NewEndpoints(e webhook.Endpoints) *Endpoints {
	e.Queue = Queue()
	all := &Endpoints{e}
	all.Record = func(ctx context.Context, act webhook.Act, accountID, target string) func(*db.Tx) error {
		return all.audited(ctx, accountID, "webhook."+string(act), target)
	}
	return all
}

// audited returns the write of an audit event.
func (e *Endpoints) audited(ctx context.Context, accountID, action, target string, details ...string) func(*db.Tx) error {
	event := audit.New(ctx, e.Now(), accountID, action, target, details...)
	return func(tx *db.Tx) error { return audit.Record(tx, event) }
}

// SetReadReceipts sets whether an account gets events of messages that were read.
func (e *Endpoints) SetReadReceipts(ctx context.Context, accountID string, on bool) error {
	record := e.audited(ctx, accountID, audit.WebhookReads, "", "on", strconv.FormatBool(on))
	err := e.DB.Write(ctx, func(tx *db.Tx) error {
		if err := record(tx); err != nil {
			return err
		}
		return account.SetWebhookReads(tx, accountID, on)
	})
	e.NotifyChanged()
	return err
}

// Events lists an account's events, newest first. A page may be short, or empty, when few events match the filter; it is
// the last when next is empty. Otherwise next is [Filter.Before] of the next page.
func (e *Endpoints) Events(ctx context.Context, f *Filter) (page []*Stored, next string, err error) {
	return listEvents(e.DB.Read(ctx), f)
}

// Event returns one of an account's events, or nil.
func (e *Endpoints) Event(ctx context.Context, accountID, eventID string) (*Stored, error) {
	if !ValidID(eventID) {
		return nil, nil //nolint:nilnil // no event is an answer
	}
	return findEvent(e.DB.Read(ctx), accountID, eventID)
}

// Attempts lists the latest hundred attempts to deliver an event, the latest first.
func (e *Endpoints) Attempts(ctx context.Context, accountID, eventID string) ([]*Attempt, error) {
	return listAttempts(e.DB.Read(ctx), accountID, eventID)
}

// Ping stores an event that tests the account's endpoint.
func (e *Endpoints) Ping(ctx context.Context, accountID string) (*Event, error) {
	p := NewPing(accountID, e.Now())
	record := e.audited(ctx, accountID, audit.WebhookPinged, p.ID)
	err := e.DB.Write(ctx, func(tx *db.Tx) error {
		if err := Insert(tx, p); err != nil {
			return err
		}
		return record(tx)
	})
	e.Signal.Notify()
	return p, err
}

// ValidID reports whether a text can be an event's id.
func ValidID(s string) bool {
	return len(s) == len(id.Event)+id.Length && s[:len(id.Event)] == id.Event && id.Valid(s[len(id.Event):])
}

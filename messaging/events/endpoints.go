package events

import (
	"context"

	"griot/internal/db"
	"griot/internal/id"
	"griot/internal/webhook"
	"griot/messaging/account"
)

// Endpoints is what accounts and operators see and change of webhooks.
type Endpoints struct{ webhook.Endpoints }

// NewEndpoints returns the accounts' endpoints; the queue of what they are made of is theirs.
func NewEndpoints(of webhook.Endpoints) *Endpoints {
	of.Queue = Queue()
	return &Endpoints{of}
}

// SetReadReceipts chooses whether an account is told that messages were read.
func (e *Endpoints) SetReadReceipts(ctx context.Context, accountID string, told bool) error {
	err := e.DB.Write(ctx, func(tx *db.Tx) error { return account.SetWebhookReads(tx, accountID, told) })
	e.NotifyChanged()
	return err
}

// Events lists an account's events, newest first. The page is short, or empty, where
// few fit; next is then, as after a full page, before which event the next one begins, and empty after the last.
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

// Attempts lists the tries to deliver an event, the latest first, a hundred at most.
func (e *Endpoints) Attempts(ctx context.Context, accountID, eventID string) ([]*Attempt, error) {
	return listAttempts(e.DB.Read(ctx), accountID, eventID)
}

// Ping stores an event that tries the account's endpoint.
func (e *Endpoints) Ping(ctx context.Context, accountID string) (*Event, error) {
	p := NewPing(accountID, e.Now())
	err := e.DB.Write(ctx, func(tx *db.Tx) error { return Insert(tx, p) })
	e.Signal.Notify()
	return p, err
}

// ValidID reports whether a text can be an event's id.
func ValidID(s string) bool {
	return len(s) == len(id.Event)+id.Length && s[:len(id.Event)] == id.Event && id.Valid(s[len(id.Event):])
}

package webhooks

import (
	"context"
	"strconv"

	"example.com/griot/internal/db"
	"example.com/griot/internal/webhook"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/audit"
)

// Endpoints reads and changes accounts' endpoints and events, for accounts and operators.
type Endpoints struct {
	webhook.Endpoints

	// AccountsSetURL lets accounts set and remove their own URL, and replace its secret. Without it, only operators do so.
	AccountsSetURL bool
}

// NewEndpoints returns the accounts' endpoints, with the accounts' queue and audit log.
func NewEndpoints(e webhook.Endpoints) *Endpoints {
	e.Queue = Queue()
	all := &Endpoints{Endpoints: e}
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

// SetReadReceipts sets whether an account gets events for read messages.
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

// Events calls [webhook.Endpoints.Events] for an account.
func (e *Endpoints) Events(ctx context.Context, f *Filter) (page []*Stored, next string, err error) {
	return e.Endpoints.Events(ctx, &webhook.Filter{OwnerID: f.AccountID, Delivery: f.Delivery, Before: f.Before, Limit: f.Limit})
}

// Ping stores an event that tests the account's endpoint.
func (e *Endpoints) Ping(ctx context.Context, accountID string) (*Event, error) {
	p := NewPing(accountID, e.Now())
	record := e.audited(ctx, accountID, audit.WebhookPinged, p.ID)
	err := e.DB.Write(ctx, func(tx *db.Tx) error {
		if err := Insert(tx, e.Signal, p); err != nil {
			return err
		}
		return record(tx)
	})
	return p, err
}

// ValidID reports whether a text has the form of an event's ID.
func ValidID(s string) bool { return webhook.ValidID(s) }

// Stored is an event and the state of its delivery.
type Stored = webhook.Stored

// Attempt is one attempt to deliver an event.
type Attempt = webhook.Attempt

// Delivery is the state of an event's delivery to the endpoint.
type Delivery = webhook.Delivery

// The states of an event's delivery.
const (
	Pending   = webhook.Pending
	Delivered = webhook.Delivered
	Failed    = webhook.Failed
	NotSent   = webhook.NotSent // the account had no endpoint at the time of the event
)

// A Filter selects an account's events. A zero field does not filter.
type Filter struct {
	AccountID string
	Delivery  Delivery
	Before    string // an event's ID; selects only earlier ones
	Limit     int
}

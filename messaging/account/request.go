package account

import (
	"context"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
	"example.com/griot/messaging/audit"
)

// MaxRequests is how many requests of an account can be open.
const MaxRequests = 5

// WebhookRequest is the kind of a request for webhook events. Any other kind is the channel of a sender.
const WebhookRequest = "webhook"

// Request is a sender or an address for webhook events that an account has asked its operator for, who has not decided yet (M190).
type Request struct {
	ID        string // req_ and a time-ordered ID26
	AccountID string
	Kind      string // the channel of the sender, or [WebhookRequest]
	Wanted    string // the sender's number, name, or email address, or the URL
	Note      string // to the operator; empty: none
	At        time.Time
}

// AddRequest stores a request of an account. stored is false when the same one or [MaxRequests] are open, or the account is closed.
func (d *Directory) AddRequest(ctx context.Context, r Request) (stored bool, err error) {
	r.At = d.now()
	r.ID = "req_" + id.New(r.At)
	event := audit.New(ctx, r.At, r.AccountID, audit.RequestMade, r.ID, "kind", r.Kind, "wanted", r.Wanted)
	err = d.db.Write(ctx, func(tx *db.Tx) error {
		if stored, err = lockOpen(tx, r.AccountID); err != nil || !stored { // of two requests, the second waits for the first
			return err
		}
		if stored, err = insertRequest(tx, &r); err != nil || !stored {
			return err
		}
		return audit.Record(tx, event)
	})
	return stored && err == nil, err
}

// Requests lists the open requests of an account, or without an account the latest thousand of all, newest first.
func (d *Directory) Requests(ctx context.Context, accountID string) ([]Request, error) {
	return selectRequests(d.db.Read(ctx), accountID)
}

// EndRequest ends an open request as carried out or as declined, and returns it; nil: it is not open.
func (d *Directory) EndRequest(ctx context.Context, requestID string, done bool) (ended *Request, err error) {
	action, now := audit.RequestDeclined, d.now()
	if done {
		action = audit.RequestDone
	}
	event := audit.New(ctx, now, "", action, requestID)
	err = d.db.Write(ctx, func(tx *db.Tx) error {
		if ended, err = endRequest(tx, requestID, event, now); err != nil || ended == nil {
			return err
		}
		of := event.With("kind", ended.Kind, "wanted", ended.Wanted)
		of.AccountID = ended.AccountID
		return audit.Record(tx, of)
	})
	return ended, err
}

package account

import (
	"context"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
	"example.com/griot/messaging/audit"
)

// MaxRequests is the maximum number of open requests of an account.
const MaxRequests = 5

// WebhookRequest is the kind of a request for webhook events. All other kinds are channels of senders.
const WebhookRequest = "webhook"

// A Request is an account's request to the operator for a sender or a webhook endpoint that is still open (M190).
type Request struct {
	ID          string // req_ and a time-ordered ID26
	AccountID   string
	AccountName string // only in the result of [Directory.Requests]
	Kind        string // the channel of the sender, or [WebhookRequest]
	Wanted      string // the sender's number, name, or email address, or the URL
	Note        string // to the operator; empty: none
	At          time.Time
}

// AddRequest stores a request of an account. stored is false if the same request or [MaxRequests] requests are open,
// or if the account is closed.
func (d *Directory) AddRequest(ctx context.Context, r Request) (stored bool, err error) {
	r.At = d.now()
	r.ID = "req_" + id.New(r.At)
	event := audit.New(ctx, r.At, r.AccountID, audit.RequestMade, r.ID, "kind", r.Kind, "wanted", r.Wanted)
	err = d.db.Write(ctx, func(tx *db.Tx) error {
		if stored, err = lockOpen(tx, r.AccountID); err != nil || !stored { // the second of two concurrent requests waits for the first
			return err
		}
		if stored, err = insertRequest(tx, &r); err != nil || !stored {
			return err
		}
		return audit.Record(tx, event)
	})
	return stored && err == nil, err
}

// Requests lists the open requests of an account, newest first. Without an account, it lists the latest thousand of all accounts.
func (d *Directory) Requests(ctx context.Context, accountID string) ([]Request, error) {
	return selectRequests(d.db.Read(ctx), accountID)
}

// EndRequest ends an open request as completed or declined, and returns it, or nil if it is not open.
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

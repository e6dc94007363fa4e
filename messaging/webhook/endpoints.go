package webhook

import (
	"context"
	"time"

	"griot/internal/clock"
	"griot/internal/db"
	"griot/internal/hook"
	"griot/internal/id"
	"griot/internal/safedial"
	"griot/internal/seal"
	"griot/messaging/account"
)

// RotationTime is how long a secret that was replaced goes on signing.
const RotationTime = 24 * time.Hour

// Endpoints is what accounts and operators see and change of webhooks.
type Endpoints struct {
	DB   *db.DB
	Key  *seal.Key
	Dial safedial.Options // judges addresses
	Now  clock.Now
	Bell *Bell
	// Changed is called when an account's address or settings have changed; nil: nobody keeps them.
	Changed func()
}

func (e *Endpoints) changed() {
	if e.Changed != nil {
		e.Changed()
	}
	e.Bell.Ring()
}

// CheckURL judges an address; its error is a sentence's end that can be shown.
func (e *Endpoints) CheckURL(url string) error { return e.Dial.Check(url) }

// Set gives an account an endpoint, enabled, or none when url is empty. url is one
// that [Endpoints.CheckURL] lets pass. An account without a secret gets one, which is returned.
func (e *Endpoints) Set(ctx context.Context, accountID, url string) (secret string, err error) {
	now, fresh := e.Now(), hook.NewSecret()
	sealed := SecretBox(e.Key).Seal([]byte(fresh), accountID)
	err = e.DB.Write(ctx, func(tx *db.Tx) error {
		secret = ""
		s, err := findState(&tx.Query, accountID)
		if err != nil || s == nil {
			return err
		}
		if !s.HasSecret {
			if err := account.SetWebhookSecret(tx, accountID, sealed); err != nil {
				return err
			}
			secret = fresh
		}
		if err := account.SetWebhook(tx, accountID, url); err != nil {
			return err
		}
		return renew(tx, accountID, now)
	})
	e.changed()
	return secret, err
}

// Rotate replaces an account's secret. The one before goes on signing until a time.
func (e *Endpoints) Rotate(ctx context.Context, accountID string) (secret string, until time.Time, err error) {
	now := e.Now()
	secret, until = hook.NewSecret(), now.Add(RotationTime)
	sealed := SecretBox(e.Key).Seal([]byte(secret), accountID)
	err = e.DB.Write(ctx, func(tx *db.Tx) error {
		if err := keepPrevious(tx, accountID, now, until); err != nil {
			return err
		}
		return account.SetWebhookSecret(tx, accountID, sealed)
	})
	e.changed()
	return secret, until, err
}

// Enable lets events go out again: those that wait, too.
func (e *Endpoints) Enable(ctx context.Context, accountID string) error {
	now := e.Now()
	err := e.DB.Write(ctx, func(tx *db.Tx) error { return renew(tx, accountID, now) })
	e.changed()
	return err
}

// Disable lets events wait.
func (e *Endpoints) Disable(ctx context.Context, accountID string) error {
	now := e.Now()
	return e.DB.Write(ctx, func(tx *db.Tx) error { return disable(tx, accountID, ForOperator, now) })
}

// SetReadReceipts chooses whether an account is told that messages were read.
func (e *Endpoints) SetReadReceipts(ctx context.Context, accountID string, told bool) error {
	err := e.DB.Write(ctx, func(tx *db.Tx) error { return account.SetWebhookReads(tx, accountID, told) })
	e.changed()
	return err
}

// State returns the state of an account's endpoint, or nil without such an account.
func (e *Endpoints) State(ctx context.Context, accountID string) (*State, error) {
	return findState(e.DB.Read(ctx), accountID)
}

// States lists the endpoints that there are, in the order of the accounts' ids after one.
func (e *Endpoints) States(ctx context.Context, after string, limit int) ([]*State, error) {
	return listStates(e.DB.Read(ctx), after, limit)
}

// Events lists an account's events, newest first.
func (e *Endpoints) Events(ctx context.Context, f *Filter) ([]*Stored, error) {
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

// Resend delivers an event again, now, whatever has become of it. It reports false without such an event.
func (e *Endpoints) Resend(ctx context.Context, accountID, eventID string) (found bool, err error) {
	now := e.Now()
	err = e.DB.Write(ctx, func(tx *db.Tx) (err error) {
		found, err = resend(tx, accountID, eventID, now)
		return err
	})
	e.Bell.Ring()
	return found, err
}

const resendSize = 500

// ResendFailed delivers those events again, now, that happened since a time and
// were given up. It returns how many there are.
func (e *Endpoints) ResendFailed(ctx context.Context, accountID string, since time.Time) (total int, err error) {
	now, after := e.Now(), id.Event+id.First(since)
	for after != "" && err == nil {
		var n int
		var last string
		err = e.DB.Write(ctx, func(tx *db.Tx) (err error) {
			n, last, err = resendFailed(tx, accountID, after, now, resendSize)
			return err
		})
		total, after = total+n, last
	}
	e.Bell.Ring()
	return total, err
}

// Ping stores an event that tries the account's endpoint.
func (e *Endpoints) Ping(ctx context.Context, accountID string) (*Event, error) {
	p := NewPing(accountID, e.Now())
	err := e.DB.Write(ctx, func(tx *db.Tx) error { return Insert(tx, p) })
	e.Bell.Ring()
	return p, err
}

// ValidID reports whether a text can be an event's id.
func ValidID(s string) bool {
	return len(s) == len(id.Event)+id.Length && s[:len(id.Event)] == id.Event && id.Valid(s[len(id.Event):])
}

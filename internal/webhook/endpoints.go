package webhook

import (
	"context"
	"errors"
	"time"

	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
	"example.com/griot/internal/safedial"
	"example.com/griot/internal/seal"
	"example.com/griot/internal/visible"
)

// RotationTime is the time during which a replaced secret is still used for signatures.
const RotationTime = 24 * time.Hour

// Endpoints reads and changes endpoints, for owners and operators.
type Endpoints struct {
	Queue  *Queue
	DB     *db.DB
	Key    *seal.Key
	Dial   safedial.Options // checks addresses
	Now    clock.Now
	Signal *Signal
	// Changed is called after an owner's address or settings have changed; can be nil.
	Changed func()
	// Record returns a write for the transaction of an act on an owner's endpoint; nil: nothing is written.
	Record func(ctx context.Context, act Act, ownerID, target string) func(tx *db.Tx) error
}

// NotifyChanged notifies caches and the dispatcher that an owner's address or settings have changed.
func (e *Endpoints) NotifyChanged() {
	if e.Changed != nil {
		e.Changed()
	}
	e.Signal.NotifyChange()
}

// CheckURL checks an address; its error is the end of a sentence that can be shown. Callers first trim what a person
// pasted ([visible.Trim]).
func (e *Endpoints) CheckURL(url string) error {
	if !visible.Text(url) {
		return errors.New("it must not contain invisible characters")
	}
	return e.Dial.Check(url)
}

// Set sets an owner's endpoint and enables it, or removes it if url is empty. url must be accepted by
// [Endpoints.CheckURL]. If the owner has no secret, Set creates and returns one for the endpoint.
func (e *Endpoints) Set(ctx context.Context, ownerID, url string) (secret string, err error) {
	return e.set(ctx, ownerID, url, "")
}

// ErrDisabled is returned by [Endpoints.SetByOwner] for an endpoint that an operator has disabled.
var ErrDisabled = errors.New("webhook: an operator has disabled the endpoint")

// SetByOwner sets the endpoint like [Endpoints.Set], but for the owner: an endpoint that an operator has
// disabled stays unchanged.
//
// Errors: [ErrDisabled].
func (e *Endpoints) SetByOwner(ctx context.Context, ownerID, url string) (secret string, err error) {
	return e.set(ctx, ownerID, url, ForOperator)
}

// set implements Set, but leaves an endpoint unchanged that was disabled for a given reason.
func (e *Endpoints) set(ctx context.Context, ownerID, url, unlessDisabledFor string) (secret string, err error) {
	now, fresh := e.Now(), NewSecret()
	sealed := e.Queue.SecretBox(e.Key).Seal([]byte(fresh), ownerID)
	record := e.record(ctx, ActRemoved, ownerID, "")
	if url != "" {
		record = e.record(ctx, ActSet, ownerID, origin(url))
	}
	refused := false
	err = e.DB.Write(ctx, func(tx *db.Tx) error {
		secret, refused = "", false
		s, err := e.Queue.state(&tx.Query, ownerID)
		if err != nil || s == nil {
			return err
		}
		reset, err := e.Queue.resetUnless(tx, ownerID, unlessDisabledFor, now)
		if refused = err == nil && !reset; err != nil || refused {
			return err
		}
		// It is read again, because resetUnless has waited for others who set the endpoint: only one of them creates a secret.
		if s, err = e.Queue.state(&tx.Query, ownerID); err != nil || s == nil {
			return err
		}
		if url != "" && !s.HasSecret {
			if err := e.Queue.t.SetSecret(tx, ownerID, sealed); err != nil {
				return err
			}
			secret = fresh
		}
		if err := record(tx); err != nil {
			return err
		}
		return e.Queue.t.SetURL(tx, ownerID, url)
	})
	switch {
	case err != nil:
		secret = ""
	case refused:
		err = ErrDisabled
	}
	e.NotifyChanged()
	return secret, err
}

// Rotate replaces an owner's secret. The previous one is also used for signatures until a time.
func (e *Endpoints) Rotate(ctx context.Context, ownerID string) (secret string, until time.Time, err error) {
	now := e.Now()
	secret, until = NewSecret(), now.Add(RotationTime)
	sealed := e.Queue.SecretBox(e.Key).Seal([]byte(secret), ownerID)
	record := e.record(ctx, ActRotated, ownerID, "")
	err = e.DB.Write(ctx, func(tx *db.Tx) error {
		if err := e.Queue.keepPrevious(tx, ownerID, now, until); err != nil {
			return err
		}
		if err := record(tx); err != nil {
			return err
		}
		return e.Queue.t.SetSecret(tx, ownerID, sealed)
	})
	e.NotifyChanged()
	return secret, until, err
}

// Enable enables an endpoint. Its queued events are delivered.
func (e *Endpoints) Enable(ctx context.Context, ownerID string) error {
	now := e.Now()
	record := e.record(ctx, ActEnabled, ownerID, "")
	err := e.DB.Write(ctx, func(tx *db.Tx) error {
		if err := e.Queue.Reset(tx, ownerID, now); err != nil {
			return err
		}
		return record(tx)
	})
	e.NotifyChanged()
	return err
}

// EnableByOwner enables an endpoint like [Endpoints.Enable], but for the owner: an endpoint that an operator has
// disabled stays disabled, and an enabled one keeps its health. It returns the new state of the endpoint.
func (e *Endpoints) EnableByOwner(ctx context.Context, ownerID string) (*State, error) {
	now := e.Now()
	record := e.record(ctx, ActEnabled, ownerID, "")
	err := e.DB.Write(ctx, func(tx *db.Tx) error {
		if enabled, err := e.Queue.resetDisabled(tx, ownerID, now); err != nil || !enabled {
			return err
		}
		return record(tx)
	})
	if err != nil {
		return nil, err
	}
	e.NotifyChanged()
	return e.State(ctx, ownerID)
}

// Disable disables an endpoint. Its events stay queued.
func (e *Endpoints) Disable(ctx context.Context, ownerID string) error {
	now := e.Now()
	record := e.record(ctx, ActDisabled, ownerID, "")
	err := e.DB.Write(ctx, func(tx *db.Tx) error {
		if err := e.Queue.disable(tx, ownerID, ForOperator, now); err != nil {
			return err
		}
		return record(tx)
	})
	e.NotifyChanged()
	return err
}

// State returns the state of an owner's endpoint, or nil if the owner doesn't exist.
func (e *Endpoints) State(ctx context.Context, ownerID string) (*State, error) {
	return e.Queue.state(e.DB.Read(ctx), ownerID)
}

// States returns the endpoints after an id, in the order of the owners' ids.
func (e *Endpoints) States(ctx context.Context, after string, limit int) ([]*State, error) {
	return e.Queue.states(e.DB.Read(ctx), after, limit)
}

// Resend makes an event due again, regardless of its state. found is false if the event doesn't exist.
func (e *Endpoints) Resend(ctx context.Context, ownerID, eventID string) (found bool, err error) {
	now := e.Now()
	record := e.record(ctx, ActResent, ownerID, eventID)
	err = e.DB.Write(ctx, func(tx *db.Tx) (err error) {
		if found, err = e.Queue.resend(tx, ownerID, eventID, now); err != nil || !found {
			return err
		}
		return record(tx)
	})
	e.Signal.Notify()
	return found, err
}

const resendSize = 500

// ResendFailed makes the failed events due again that happened since a time. It returns their number.
func (e *Endpoints) ResendFailed(ctx context.Context, ownerID string, since time.Time) (total int, err error) {
	now, after := e.Now(), id.Event+id.First(since)
	record := e.record(ctx, ActResentFailed, ownerID, since.UTC().Format(time.RFC3339))
	for after != "" && err == nil {
		var n int
		var last string
		err = e.DB.Write(ctx, func(tx *db.Tx) (err error) {
			if n, last, err = e.Queue.resendFailed(tx, ownerID, after, now, resendSize); err != nil || total > 0 || n == 0 {
				return err // recorded only once
			}
			return record(tx)
		})
		total, after = total+n, last
	}
	e.Signal.Notify()
	return total, err
}

package webhook

import (
	"context"
	"time"

	"griot/internal/clock"
	"griot/internal/db"
	"griot/internal/id"
	"griot/internal/safedial"
	"griot/internal/seal"
)

// RotationTime is how long a secret that was replaced goes on signing.
const RotationTime = 24 * time.Hour

// Endpoints is what owners and operators see and change of endpoints.
type Endpoints struct {
	Queue  *Queue
	DB     *db.DB
	Key    *seal.Key
	Dial   safedial.Options // judges addresses
	Now    clock.Now
	Signal *Signal
	// Changed is called when an owner's address or settings have changed; nil: nobody keeps them.
	Changed func()
}

// NotifyChanged says that an owner's address or settings have changed.
func (e *Endpoints) NotifyChanged() {
	if e.Changed != nil {
		e.Changed()
	}
	e.Signal.Notify()
}

// CheckURL judges an address; its error is a sentence's end that can be shown.
func (e *Endpoints) CheckURL(url string) error { return e.Dial.Check(url) }

// Set gives an owner an endpoint, enabled, or none when url is empty. url is one
// that [Endpoints.CheckURL] lets pass. An owner without a secret gets one, which is returned.
func (e *Endpoints) Set(ctx context.Context, ownerID, url string) (secret string, err error) {
	now, fresh := e.Now(), NewSecret()
	sealed := e.Queue.SecretBox(e.Key).Seal([]byte(fresh), ownerID)
	err = e.DB.Write(ctx, func(tx *db.Tx) error {
		secret = ""
		s, err := e.Queue.state(&tx.Query, ownerID)
		if err != nil || s == nil {
			return err
		}
		if !s.HasSecret {
			if err := e.Queue.t.SetSecret(tx, ownerID, sealed); err != nil {
				return err
			}
			secret = fresh
		}
		if err := e.Queue.t.SetURL(tx, ownerID, url); err != nil {
			return err
		}
		return e.Queue.renew(tx, ownerID, now)
	})
	e.NotifyChanged()
	return secret, err
}

// Rotate replaces an owner's secret. The one before goes on signing until a time.
func (e *Endpoints) Rotate(ctx context.Context, ownerID string) (secret string, until time.Time, err error) {
	now := e.Now()
	secret, until = NewSecret(), now.Add(RotationTime)
	sealed := e.Queue.SecretBox(e.Key).Seal([]byte(secret), ownerID)
	err = e.DB.Write(ctx, func(tx *db.Tx) error {
		if err := e.Queue.keepPrevious(tx, ownerID, now, until); err != nil {
			return err
		}
		return e.Queue.t.SetSecret(tx, ownerID, sealed)
	})
	e.NotifyChanged()
	return secret, until, err
}

// Enable lets events go out again: those that wait, too.
func (e *Endpoints) Enable(ctx context.Context, ownerID string) error {
	now := e.Now()
	err := e.DB.Write(ctx, func(tx *db.Tx) error { return e.Queue.renew(tx, ownerID, now) })
	e.NotifyChanged()
	return err
}

// EnableByOwner is [Endpoints.Enable] by the owner: what an operator has disabled
// stays so, and what is learned of an endpoint that is enabled is kept. It returns
// how the endpoint is then.
func (e *Endpoints) EnableByOwner(ctx context.Context, ownerID string) (*State, error) {
	now := e.Now()
	if err := e.DB.Write(ctx, func(tx *db.Tx) error { return e.Queue.again(tx, ownerID, now) }); err != nil {
		return nil, err
	}
	e.NotifyChanged()
	return e.State(ctx, ownerID)
}

// Disable lets events wait.
func (e *Endpoints) Disable(ctx context.Context, ownerID string) error {
	now := e.Now()
	return e.DB.Write(ctx, func(tx *db.Tx) error { return e.Queue.disable(tx, ownerID, ForOperator, now) })
}

// State returns the state of an owner's endpoint, or nil without such an owner.
func (e *Endpoints) State(ctx context.Context, ownerID string) (*State, error) {
	return e.Queue.state(e.DB.Read(ctx), ownerID)
}

// States lists the endpoints that there are, in the order of the owners' ids after one.
func (e *Endpoints) States(ctx context.Context, after string, limit int) ([]*State, error) {
	return e.Queue.states(e.DB.Read(ctx), after, limit)
}

// Resend delivers an event again, now, whatever has become of it. It reports false without such an event.
func (e *Endpoints) Resend(ctx context.Context, ownerID, eventID string) (found bool, err error) {
	now := e.Now()
	err = e.DB.Write(ctx, func(tx *db.Tx) (err error) {
		found, err = e.Queue.resend(tx, ownerID, eventID, now)
		return err
	})
	e.Signal.Notify()
	return found, err
}

const resendSize = 500

// ResendFailed delivers those events again, now, that happened since a time and
// were given up. It returns how many there are.
func (e *Endpoints) ResendFailed(ctx context.Context, ownerID string, since time.Time) (total int, err error) {
	now, after := e.Now(), id.Event+id.First(since)
	for after != "" && err == nil {
		var n int
		var last string
		err = e.DB.Write(ctx, func(tx *db.Tx) (err error) {
			n, last, err = e.Queue.resendFailed(tx, ownerID, after, now, resendSize)
			return err
		})
		total, after = total+n, last
	}
	e.Signal.Notify()
	return total, err
}

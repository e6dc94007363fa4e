package outbox

import (
	"context"

	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/messaging/audit"
)

// A Deployment shows and changes what concerns all nodes, for operators. It is safe for concurrent use.
type Deployment struct {
	DB      *db.DB
	Now     clock.Now
	Changed func(context.Context) error // makes this process apply a pause or its end immediately; nil: no server runs
}

// Pause pauses sending on every node, and returns the pause. An existing pause stays.
func (d *Deployment) Pause(ctx context.Context) (*SendingPause, error) {
	return d.change(ctx, audit.SendingPaused, func(tx *db.Tx) (bool, error) {
		return PauseSending(tx, &SendingPause{At: d.Now(), Reason: PausedByOperator})
	})
}

// Resume ends the pause, and returns nil. It returns the pause if a restored database's messages still have to be ended.
func (d *Deployment) Resume(ctx context.Context) (*SendingPause, error) {
	return d.change(ctx, audit.SendingResumed, ResumeSending)
}

func (d *Deployment) change(ctx context.Context, action string, write func(*db.Tx) (changed bool, err error)) (*SendingPause, error) {
	event := audit.New(ctx, d.Now(), "", action, "")
	err := d.DB.Write(ctx, func(tx *db.Tx) error {
		if changed, err := write(tx); err != nil || !changed {
			return err
		}
		return audit.Record(tx, event)
	})
	if err == nil && d.Changed != nil {
		err = d.Changed(ctx)
	}
	if err != nil {
		return nil, err
	}
	return d.SendingPause(ctx)
}

// SendingPause returns the pause, or nil.
func (d *Deployment) SendingPause(ctx context.Context) (*SendingPause, error) {
	return FindSendingPause(d.DB.Read(ctx))
}

// Database returns the state of the database.
func (d *Deployment) Database(ctx context.Context) (db.State, error) { return d.DB.State(ctx, d.Now) }

// Queues counts the queued messages by channel: see [Queues].
func (d *Deployment) Queues(ctx context.Context) ([]Queue, error) { return Queues(ctx, d.DB, d.Now()) }

// Nodes lists the processes that send messages, with at most n senders in total: see [Nodes].
func (d *Deployment) Nodes(ctx context.Context, n int) ([]NodeState, error) {
	return Nodes(ctx, d.DB, n)
}

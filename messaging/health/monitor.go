package health

import (
	"context"
	"log/slog"
	"time"

	"griot/gateway"
	"griot/internal/clock"
	"griot/internal/db"
	"griot/internal/id"
	"griot/messaging/account"
	"griot/messaging/events"
)

const (
	lookEvery = 5 * time.Second
	settles   = 15 * time.Second // until a state counts
	connects  = time.Minute      // until one that is only connecting does
	leaseTime = time.Minute      // for which one process looks
)

// Options are what a Watcher is made of.
type Options struct {
	DB        *db.DB
	Directory *account.Directory
	State     func(account.Sender) gateway.ConnState
	Now       clock.Now
	Log       *slog.Logger
	Told      func() // called when an event was committed
}

// Watcher looks at the senders' connections. [Watcher.Run] and [Watcher.Look] are for one goroutine.
type Watcher struct {
	o     Options
	owner string
	until time.Time           // while this process is the one that looks
	fresh map[string]observed // states that differ from what was told, by sender
}

type observed struct {
	state gateway.ConnState
	since time.Time
}

// New returns a watcher.
func New(o Options) *Watcher {
	return &Watcher{o: o, owner: id.Random(), fresh: map[string]observed{}}
}

// Run looks until ctx ends.
func (w *Watcher) Run(ctx context.Context) error {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		if err := w.Look(ctx); err != nil && ctx.Err() == nil {
			w.o.Log.Error("looking at senders", "err", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// Look looks at every sender once, and tells what has changed and lasted.
func (w *Watcher) Look(ctx context.Context) error {
	now := w.o.Now()
	mine, err := w.claim(ctx, now)
	if err != nil || !mine {
		clear(w.fresh)
		return err
	}
	senders, err := watched(w.o.DB.Read(ctx))
	if err != nil {
		return err
	}
	seen := map[string]observed{}
	for _, s := range senders {
		state := w.o.State(s.Sender)
		if state == s.told {
			continue
		}
		before, ok := w.fresh[s.ID]
		if !ok || before.state != state {
			before = observed{state, now}
		}
		seen[s.ID] = before
		if now.Sub(before.since) < patience(state) {
			continue
		}
		if err := w.tell(ctx, s, before, now); err != nil {
			return err
		}
		delete(seen, s.ID)
	}
	w.fresh = seen
	return nil
}

func patience(s gateway.ConnState) time.Duration {
	if s == gateway.Connecting {
		return connects
	}
	return settles
}

// claim makes this process the one that looks, unless another is, and forgets senders that are gone.
func (w *Watcher) claim(ctx context.Context, now time.Time) (mine bool, err error) {
	if now.Before(w.until.Add(-leaseTime / 2)) {
		return true, nil
	}
	until := now.Add(leaseTime)
	err = w.o.DB.Write(ctx, func(tx *db.Tx) error {
		if mine, err = claim(tx, w.owner, now, until); err != nil || !mine {
			return err
		}
		return forget(tx)
	})
	if mine = mine && err == nil; mine {
		w.until = until
	}
	return mine, err
}

// tell writes down a state, and its event. The first state of a sender is no change.
func (w *Watcher) tell(ctx context.Context, s *sender, to observed, now time.Time) error {
	var event *events.Event
	if s.told != "" && s.AccountID != "" { // the platform's senders are no account's business
		a, err := w.o.Directory.Account(ctx, s.AccountID)
		if err != nil {
			return err
		}
		if a != nil && events.Wanted(a, now) {
			event = events.SenderChanged(s.Sender, s.told, to.state, now)
		}
	}
	changed := false
	err := w.o.DB.Write(ctx, func(tx *db.Tx) (err error) {
		changed, err = change(tx, w.owner, s, to)
		if err != nil || !changed || event == nil {
			return err
		}
		return events.Insert(tx, event)
	})
	if err != nil || !changed {
		return err
	}
	w.o.Log.Info("sender's connection", "senderId", s.ID, "state", string(to.state), "before", string(s.told))
	if event != nil {
		w.o.Told()
	}
	return nil
}

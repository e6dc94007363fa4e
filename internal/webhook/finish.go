package webhook

import (
	"context"
	"time"

	"griot/internal/db"
)

const (
	finishSize = 256
	learnEvery = 5 * time.Second
	choreEvery = time.Minute
	keepFor    = 30 * 24 * time.Hour // events and their tries
	noticeFor  = 3 * 24 * time.Hour  // how long it is tried to tell an owner that its endpoint is disabled
	noticeSize = 100
	sweepMost  = 50 // of a chore
)

// lesson is what was learned of an owner's endpoint.
type lesson struct {
	owner string
	record
}

// finishAll writes down what has ended, as much as waits in one transaction, until
// done is closed. What can't be written comes back when its lease runs out.
func (d *Dispatcher) finishAll(ctx context.Context) {
	texts := d.o.Queue.finishers()
	for open := true; open; {
		var ended []*finish
		lessons := map[string]*lesson{}
		select {
		case f, ok := <-d.done:
			if open = ok; ok {
				ended = append(ended, f)
			}
		case l := <-d.learns:
			lessons[l.owner] = l
		}
		open = d.gather(&ended, lessons, open)
		if len(ended) == 0 && len(lessons) == 0 {
			continue
		}
		err := d.o.DB.Write(ctx, func(tx *db.Tx) error {
			for _, l := range lessons {
				if err := d.o.Queue.learn(tx, l.owner, d.process, &l.record); err != nil {
					return err
				}
			}
			return texts.write(tx, ended)
		})
		if err != nil {
			d.o.Log.Error("writing down deliveries", "count", len(ended), "err", err)
		}
	}
}

// gather takes what waits beside the first; all of it once done is closed, which it reports by false.
func (d *Dispatcher) gather(ended *[]*finish, lessons map[string]*lesson, open bool) bool {
	done := d.done
	if !open {
		done = nil
	}
	for len(*ended) < finishSize {
		select {
		case f, ok := <-done:
			if !ok {
				done, open = nil, false
				continue
			}
			*ended = append(*ended, f)
		case l := <-d.learns:
			if before := lessons[l.owner]; before == nil || before.disabledAt.IsZero() || before.changedAt != l.changedAt {
				lessons[l.owner] = l
			}
		default:
			return open
		}
	}
	return open
}

// chores tells owners of disabled endpoints and deletes what is old, until ctx ends.
func (d *Dispatcher) chores(ctx context.Context) {
	tick := time.NewTicker(choreEvery)
	defer tick.Stop()
	for ctx.Err() == nil {
		if err := d.Maintain(ctx); err != nil && ctx.Err() == nil {
			d.o.Log.Error("tidying webhooks", "err", err)
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}

// Maintain does once what [Dispatcher.Run] does now and then.
func (d *Dispatcher) Maintain(ctx context.Context) error {
	now := d.o.Now()
	notices, err := d.o.Queue.unnoticed(d.o.DB.Read(ctx), now.Add(-noticeFor), noticeSize)
	if err != nil {
		return err
	}
	for _, n := range notices {
		d.o.Log.Warn("webhook endpoint disabled", d.o.Queue.t.Log, n.OwnerID, "reason", n.Reason)
		if d.o.Notify != nil {
			if err := d.o.Notify(ctx, n); err != nil {
				d.o.Log.Error("telling whose webhook endpoint is disabled", d.o.Queue.t.Log, n.OwnerID, "err", err)
				continue
			}
		}
		if err := d.note(ctx, n, now); err != nil {
			return err
		}
	}
	for range sweepMost {
		more := false
		err := d.o.DB.Write(ctx, func(tx *db.Tx) (err error) {
			more, err = d.o.Queue.sweep(tx, now.Add(-keepFor))
			return err
		})
		if err != nil || !more {
			return err
		}
	}
	return nil
}

// note ends a notice, once.
func (d *Dispatcher) note(ctx context.Context, n *Notice, now time.Time) error {
	also := func(*db.Tx) error { return nil }
	if d.o.Record != nil {
		also = d.o.Record(n)
	}
	return d.o.DB.Write(ctx, func(tx *db.Tx) error {
		first, err := d.o.Queue.noticed(tx, n, now)
		if err != nil || !first {
			return err
		}
		return also(tx)
	})
}

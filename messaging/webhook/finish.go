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
	noticeFor  = 3 * 24 * time.Hour  // how long it is tried to tell an account that its endpoint is disabled
	noticeSize = 100
	sweepMost  = 50 // of a chore
)

// lesson is what was learned of an account's endpoint.
type lesson struct {
	account string
	record
}

// finishAll writes down what has ended, as much as waits in one transaction, until
// done is closed. What can't be written comes back when its lease runs out.
func (d *Deliverer) finishAll(ctx context.Context) {
	texts := newFinishers()
	for open := true; open; {
		var ended []*finish
		lessons := map[string]*lesson{}
		select {
		case f, ok := <-d.done:
			if open = ok; ok {
				ended = append(ended, f)
			}
		case l := <-d.learns:
			lessons[l.account] = l
		}
		open = d.gather(&ended, lessons, open)
		if len(ended) == 0 && len(lessons) == 0 {
			continue
		}
		err := d.o.DB.Write(ctx, func(tx *db.Tx) error {
			for _, l := range lessons {
				if err := learn(tx, l.account, d.owner, &l.record); err != nil {
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
func (d *Deliverer) gather(ended *[]*finish, lessons map[string]*lesson, open bool) bool {
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
			if before := lessons[l.account]; before == nil || before.disabledAt.IsZero() || before.changedAt != l.changedAt {
				lessons[l.account] = l
			}
		default:
			return open
		}
	}
	return open
}

// chores tells accounts of disabled endpoints and deletes what is old, until ctx ends.
func (d *Deliverer) chores(ctx context.Context) {
	tick := time.NewTicker(choreEvery)
	defer tick.Stop()
	for ctx.Err() == nil {
		if err := d.Tidy(ctx); err != nil && ctx.Err() == nil {
			d.o.Log.Error("tidying webhooks", "err", err)
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}

// Tidy does once what [Deliverer.Run] does now and then.
func (d *Deliverer) Tidy(ctx context.Context) error {
	now := d.o.Now()
	notices, err := unnoticed(d.o.DB.Read(ctx), now.Add(-noticeFor), noticeSize)
	if err != nil {
		return err
	}
	for _, n := range notices {
		d.o.Log.Warn("webhook endpoint disabled", "accountId", n.AccountID, "reason", n.Reason)
		if err := d.o.Tell(ctx, n); err != nil {
			d.o.Log.Error("telling an account that its webhook endpoint is disabled", "accountId", n.AccountID, "err", err)
			continue
		}
		if err := d.o.DB.Write(ctx, func(tx *db.Tx) error { return noticed(tx, n, now) }); err != nil {
			return err
		}
	}
	for range sweepMost {
		more := false
		err := d.o.DB.Write(ctx, func(tx *db.Tx) (err error) {
			more, err = sweep(tx, now.Add(-keepFor))
			return err
		})
		if err != nil || !more {
			return err
		}
	}
	return nil
}

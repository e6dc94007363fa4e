package webhook

import (
	"context"
	"time"

	"example.com/griot/internal/db"
)

const (
	maintainEvery = time.Minute
	recordFor     = 3 * 24 * time.Hour    // time after an endpoint was disabled during which it can be recorded
	maxNotices    = 100                   // per run
	sweepPause    = 20 * time.Millisecond // between two transactions that delete, so that others can write
)

func (d *Dispatcher) maintain(ctx context.Context) {
	tick := time.NewTicker(maintainEvery)
	defer tick.Stop()
	for ctx.Err() == nil {
		if err := d.Maintain(ctx); err != nil && ctx.Err() == nil {
			d.o.Log.Error("maintaining webhooks", "err", err)
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}

// Maintain records disabled endpoints and deletes old rows. [Dispatcher.Run] calls it every minute.
func (d *Dispatcher) Maintain(ctx context.Context) error {
	now := d.o.Now()
	notices, err := d.o.Queue.openNotices(d.o.DB.Read(ctx), now.Add(-recordFor), maxNotices)
	if err != nil {
		return err
	}
	for _, n := range notices {
		d.o.Log.Warn("webhook endpoint disabled", d.o.Queue.t.Log, n.OwnerID, "reason", n.Reason)
		if err := d.closeNotice(ctx, n, now); err != nil {
			return err
		}
	}
	if d.o.Keep == 0 {
		return nil
	}
	for {
		more := false
		err := d.o.DB.Write(ctx, func(tx *db.Tx) (err error) {
			more, err = d.o.Queue.sweep(tx, now.Add(-d.o.Keep))
			return err
		})
		if err != nil || !more {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(sweepPause):
		}
	}
}

func (d *Dispatcher) closeNotice(ctx context.Context, n *Notice, now time.Time) error {
	record := func(*db.Tx) error { return nil }
	if d.o.Record != nil {
		record = d.o.Record(n)
	}
	return d.o.DB.Write(ctx, func(tx *db.Tx) error {
		first, err := d.o.Queue.closeNotice(tx, n, now)
		if err != nil || !first {
			return err
		}
		return record(tx)
	})
}

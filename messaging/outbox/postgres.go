package outbox

import (
	"context"
	"slices"
	"strings"

	"example.com/griot/internal/db"
	"example.com/griot/internal/metrics"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/counts"
	"example.com/griot/messaging/webhooks"
)

// postgres is the writer for PostgreSQL. It writes the operations of many callers in one transaction with one
// statement of each kind. Go code decides one by one which of them are accepted.
type postgres struct {
	s       *Store
	accepts batcher[acceptOp]
	applies batcher[applyOp]
	begins  batcher[beginOp]
}

type applyOp struct {
	t       *Transition
	applied Applied

	operation
}

func newPostgres(s *Store, m *metrics.Messages) *postgres {
	w := &postgres{s: s}
	w.accepts = batcher[acceptOp]{write: w.acceptBatch, op: func(o *acceptOp) *operation { return &o.operation }, sizes: m.Batches("accept")}
	w.applies = batcher[applyOp]{write: w.applyBatch, op: func(o *applyOp) *operation { return &o.operation }, sizes: m.Batches("apply")}
	w.begins = batcher[beginOp]{write: w.beginBatch, op: func(o *beginOp) *operation { return &o.operation }, sizes: m.Batches("begin")}
	return w
}

func (w *postgres) accept(ctx context.Context, items []*Acceptance, stop bool) error {
	return w.accepts.submit(ctx, &acceptOp{items: items, stopAtRefusal: stop, operation: newOperation(ctx, len(items))})
}

func (w *postgres) apply(ctx context.Context, t *Transition) (Applied, error) {
	o := &applyOp{t: t, operation: newOperation(ctx, 1)}
	err := w.applies.submit(ctx, o)
	return o.applied, err
}

func (w *postgres) begin(ctx context.Context, all []*Begin) error {
	for _, b := range all {
		b.identify() // outside of the transaction
	}
	return w.begins.submit(ctx, &beginOp{all: all, operation: newOperation(ctx, len(all))})
}

// settings restrict the planner to the indexes, and to one plan for each text, for a transaction. Otherwise, it would
// plan each batch again, and read whole tables if the statistics report them as empty.
const settings = `SELECT set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
 set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true)`

// write runs a batch in one transaction with all. If the server refuses a batch, its operations are run again one by
// one with single, so that one operation's error does not affect the others. setErr stores the error of an operation.
func write[T any](w *postgres, batch []*T, all func(*db.Tx) error, single func(*db.Tx, *T) error, setErr func(*T, error)) {
	ctx := context.Background() // independent of the callers; the database's time limit applies to the write
	err := w.s.db.Write(ctx, func(tx *db.Tx) error {
		if err := tx.Queue(nil, settings); err != nil {
			return err
		}
		return all(tx)
	})
	if err != nil && len(batch) > 1 && !db.OutcomeUnknown(err) {
		for _, op := range batch {
			setErr(op, w.s.db.Write(ctx, func(tx *db.Tx) error { return single(tx, op) }))
		}
		return
	}
	for _, op := range batch {
		setErr(op, err)
	}
}

// acceptBatch stores acceptances, those of one caller in their order. Operations with the same idempotency key are
// stored in different transactions.
func (w *postgres) acceptBatch(batch []*acceptOp) {
	for len(batch) > 0 {
		n := beforeRepeatedKey(batch)
		part := batch[:n]
		all := func(tx *db.Tx, part []*acceptOp) error {
			var log counts.Log
			if err := w.s.acceptAll(tx, postgresRows{tx}, part, &log); err != nil {
				return err
			}
			return log.Write(tx)
		}
		write(w, part, func(tx *db.Tx) error { return all(tx, part) }, func(tx *db.Tx, o *acceptOp) error { return all(tx, []*acceptOp{o}) },
			func(o *acceptOp, err error) { o.err = err })
		batch = batch[n:]
	}
}

func (w *postgres) beginBatch(batch []*beginOp) {
	var all []*Begin
	for _, o := range batch {
		all = append(all, o.all...)
	}
	slices.SortFunc(all, func(a, b *Begin) int { return strings.Compare(a.Message.ID, b.Message.ID) })
	write(w, batch, func(tx *db.Tx) error { return w.s.beginAll(tx, postgresRows{tx}, all) }, func(tx *db.Tx, o *beginOp) error {
		return w.s.beginAll(tx, postgresRows{tx}, o.all)
	}, func(o *beginOp, err error) {
		if o.err = err; err == nil {
			return
		}
		for _, b := range o.all {
			b.forget()
		}
	})
}

func (w *postgres) applyBatch(batch []*applyOp) {
	slices.SortFunc(batch, func(a, b *applyOp) int { return strings.Compare(a.t.Message.ID, b.t.Message.ID) })
	write(w, batch, func(tx *db.Tx) error { return applyAll(tx, w.s, batch) }, func(tx *db.Tx, o *applyOp) (err error) {
		o.applied, err = o.t.writeAlone(tx, w.s)
		return err
	}, func(o *applyOp, err error) {
		if o.err = err; err != nil {
			o.applied = Applied{}
		}
	})
}

// applyAll writes transitions: the messages' rows in one statement, then the related rows of the changed ones. It
// waits for the first statement only if there are others.
func applyAll(tx *db.Tx, s *Store, batch []*applyOp) error {
	var sameRoute []*applyOp
	var log counts.Log // of the others, because updateAll writes its own
	rowsOnly := true
	for i, o := range batch {
		o.applied = Applied{}
		rowsOnly = rowsOnly && o.t.rowOnly() && o.t.Event == nil
		again := i > 0 && batch[i-1].t.Message.ID == o.t.Message.ID // a statement changes a row only once
		if !o.t.RouteChanged && !again {
			sameRoute = append(sameRoute, o)
			continue
		}
		mine, err := o.t.update(tx, &log)
		if err != nil {
			return err
		}
		o.applied.Changed = mine
	}
	if err := updateAll(tx, sameRoute); err != nil {
		return err
	}
	if err := log.Write(tx); err != nil || rowsOnly {
		return err
	}
	if err := tx.Flush(); err != nil {
		return err
	}
	changed := false
	for _, o := range batch {
		if !o.applied.Changed {
			continue
		}
		if !o.t.rowOnly() {
			if err := o.t.writeRelated(tx, s.people, &o.applied); err != nil {
				return err
			}
			changed = changed || o.applied.AccountChanged
		}
		if o.t.Event == nil {
			continue
		}
		if err := webhooks.Insert(tx, s.signal, o.t.Event); err != nil {
			return err
		}
	}
	if changed {
		if err := account.NoteChange(tx); err != nil {
			return err
		}
	}
	return nil
}

func updateAll(tx *db.Tx, ops []*applyOp) error {
	if len(ops) == 0 {
		return nil
	}
	c := newColumns(len(ops), sameRouteKinds)
	for i, o := range ops {
		var log counts.Log
		log.Changed(o.t.Before, o.t.Message)
		c.add(append(append([]any{i}, o.t.values(stateColumns)...), o.t.Message.ID, o.t.Message.Version, log.Text()))
	}
	return tx.Queue(func(scan db.Scan) error {
		var i int
		err := scan(&i)
		if err == nil {
			ops[i].applied.Changed = true
		}
		return err
	}, unversioned(updateSameRouteAll), c.args()...)
}

package outbox

import (
	"context"
	"database/sql"
	"slices"
	"strings"

	"griot/internal/db"
	"griot/messaging/account"
	"griot/messaging/events"
)

// postgres writes the acceptances and the transitions of many callers together: a transaction with one statement of
// each kind for all of them, in which Go decides item by item.
type postgres struct {
	s       *Store
	accepts collector[acceptOp]
	applies collector[applyOp]
	begins  collector[beginOp]
}

type applyOp struct {
	t       *Transition
	applied Applied
	err     error
	done    chan struct{}
}

type beginOp struct {
	b    *beginning
	err  error
	done chan struct{}
}

const batchSize = 256

func newPostgres(s *Store) *postgres {
	w := &postgres{s: s}
	w.accepts = collector[acceptOp]{most: batchSize, run: w.acceptBatch, ends: func(o *acceptOp) chan struct{} { return o.done }}
	w.applies = collector[applyOp]{most: batchSize, run: w.applyBatch, ends: func(o *applyOp) chan struct{} { return o.done }}
	w.begins = collector[beginOp]{most: batchSize, run: w.beginBatch, ends: func(o *beginOp) chan struct{} { return o.done }}
	return w
}

func (w *postgres) accept(ctx context.Context, items []*Acceptance, stop bool) error {
	o := &acceptOp{items: items, stop: stop, done: make(chan struct{})}
	if err := w.accepts.do(ctx, o); err != nil {
		return err
	}
	return o.err
}

func (w *postgres) apply(ctx context.Context, t *Transition) (Applied, error) {
	o := &applyOp{t: t, done: make(chan struct{})}
	if err := w.applies.do(ctx, o); err != nil {
		return Applied{}, err
	}
	return o.applied, o.err
}

func (w *postgres) begin(ctx context.Context, b *beginning) error {
	o := &beginOp{b: b, done: make(chan struct{})}
	if err := w.begins.do(ctx, o); err != nil {
		return err
	}
	return o.err
}

// settings keep the planner to the indexes, and to one plan for each text: it would plan each batch anew, and read
// whole tables whose statistics say that they are empty.
const settings = `SET LOCAL plan_cache_mode = force_generic_plan; SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off; SET LOCAL enable_seqscan = off; SET LOCAL jit = off`

// write runs a batch's transaction. A batch that the server refuses is run one by one: what one of them did
// wrong is nobody else's fault. alone runs one; fail gives one its error.
func write[T any](w *postgres, batch []*T, together func(*db.Tx) error, alone func(*db.Tx, *T) error, fail func(*T, error)) {
	ctx := context.Background() // each has its own caller; the database's time limit bounds it
	err := w.s.db.Write(ctx, func(tx *db.Tx) error {
		if _, err := tx.Exec(settings); err != nil {
			return err
		}
		return together(tx)
	})
	if err != nil && len(batch) > 1 && !db.Unheard(err) {
		for _, op := range batch {
			fail(op, w.s.db.Write(ctx, func(tx *db.Tx) error { return alone(tx, op) }))
		}
		return
	}
	for _, op := range batch {
		fail(op, err)
	}
}

// acceptBatch stores acceptances, those of one caller in their order. Two callers' of one idempotency key do not go together.
func (w *postgres) acceptBatch(batch []*acceptOp) {
	for len(batch) > 0 {
		n := distinct(batch)
		some := batch[:n]
		write(w, some, func(tx *db.Tx) error { return acceptAll(tx, postgresRows{tx}, some, w.s.node.fence) },
			func(tx *db.Tx, o *acceptOp) error {
				return acceptAll(tx, postgresRows{tx}, []*acceptOp{o}, w.s.node.fence)
			},
			func(o *acceptOp, err error) { o.err = err })
		batch = batch[n:]
	}
}

func (w *postgres) beginBatch(batch []*beginOp) {
	slices.SortFunc(batch, func(a, b *beginOp) int { return strings.Compare(a.b.key.ID, b.b.key.ID) })
	write(w, batch, func(tx *db.Tx) error {
		for _, o := range batch {
			if err := o.b.run(tx); err != nil {
				return err
			}
		}
		return nil
	}, func(tx *db.Tx, o *beginOp) error { return o.b.run(tx) }, func(o *beginOp, err error) {
		if o.err = err; err != nil {
			o.b.result = Begun{}
		}
	})
}

func (w *postgres) applyBatch(batch []*applyOp) {
	slices.SortFunc(batch, func(a, b *applyOp) int { return strings.Compare(a.t.Message.ID, b.t.Message.ID) })
	write(w, batch, func(tx *db.Tx) error { return applyAll(tx, batch) }, func(tx *db.Tx, o *applyOp) (err error) {
		o.applied = Applied{}
		o.applied.Done, err = o.t.write(tx, &o.applied)
		return err
	}, func(o *applyOp, err error) {
		if o.err = err; err != nil {
			o.applied = Applied{}
		}
	})
}

// applyAll writes transitions: their rows by one statement, then what goes with those that were changed.
func applyAll(tx *db.Tx, batch []*applyOp) error {
	var stayed []*applyOp
	for i, o := range batch {
		o.applied = Applied{}
		again := i > 0 && batch[i-1].t.Message.ID == o.t.Message.ID // two about one message: a statement changes a row once
		if !o.t.Moved && !again {
			stayed = append(stayed, o)
			continue
		}
		mine, err := o.t.update(tx)
		if err != nil {
			return err
		}
		o.applied.Done = mine
	}
	if err := updateAll(tx, stayed); err != nil {
		return err
	}
	var all []*events.Event
	optedOut := false
	for _, o := range batch {
		if !o.applied.Done {
			continue
		}
		if !o.t.plain() {
			if err := o.t.parts(tx, &o.applied); err != nil {
				return err
			}
			optedOut = optedOut || o.applied.optedOut
		}
		if o.t.Event != nil {
			all = append(all, o.t.Event)
		}
	}
	if optedOut {
		if err := account.NoteChange(tx); err != nil {
			return err
		}
	}
	return insertEvents(tx, all)
}

const updateStayedAll = `UPDATE messages m SET content = CASE WHEN v.erase = 1 AND m.sensitive = 1 THEN '{}' ELSE m.content END, status = v.status, rank = v.rank, due_at = NULLIF(v.due, 0),
 unknown_at = NULLIF(v.unknown, 0), provider_id = NULLIF(v.provider, ''), failure = NULLIF(v.failure, ''), timeline = m.timeline || v.step, calls = v.calls, tries = v.tries, sent_at = NULLIF(v.sent, 0),
 delivered_at = NULLIF(v.delivered, 0), read_at = NULLIF(v.read, 0), failed_at = NULLIF(v.failed, 0), canceled_at = NULLIF(v.canceled, 0), may_have_left = NULLIF(v.left_us, 0), attempt = m.attempt + 1
 FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::text[], $8::text[], $9::text[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[], $14::bigint[], $15::bigint[],
 $16::bigint[], $17::bigint[], $18::text[], $19::bigint[]) AS v (ord, erase, status, rank, due, unknown, provider, failure, step, calls, tries, sent, delivered, read, failed, canceled, left_us, id, version)
 WHERE m.id = v.id AND m.attempt = v.version RETURNING v.ord`

func updateAll(tx *db.Tx, ops []*applyOp) error {
	if len(ops) == 0 {
		return nil
	}
	c := newColumns(len(ops), "iitiiitttiiiiiiiiti")
	for i, o := range ops {
		c.add(append([]any{i}, o.t.values()...))
	}
	return tx.Each(func(rows *sql.Rows) error {
		var i int
		err := rows.Scan(&i)
		if err == nil {
			ops[i].applied.Done = true
		}
		return err
	}, updateStayedAll, c.args()...)
}

const insertEventsAll = `INSERT INTO webhook_events (account_id, id, type, body, due_at, claimed, attempt, tries, heard_at, created_at)
 SELECT a.id, v.id, v.type, v.body, CASE WHEN a.webhook_url IS NOT NULL THEN v.at END, 0, 0, 0, CASE WHEN a.listen_until > v.stored THEN v.stored END, v.at
 FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::bigint[]) AS v (account_id, id, type, body, at, stored) JOIN accounts a ON a.id = v.account_id`

func insertEvents(tx *db.Tx, all []*events.Event) error {
	if len(all) == 0 {
		return nil
	}
	c := newColumns(len(all), "ttttii")
	for _, e := range all {
		stored := e.Stored
		if stored.IsZero() {
			stored = e.At
		}
		c.add([]any{e.AccountID, e.ID, e.Type, e.Body, db.Ms(e.At), db.Ms(stored)})
	}
	_, err := tx.Exec(insertEventsAll, c.args()...)
	return err
}

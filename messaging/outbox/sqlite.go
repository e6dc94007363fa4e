package outbox

import (
	"context"

	"example.com/griot/internal/db"
	"example.com/griot/internal/metrics"
	"example.com/griot/messaging/counts"
)

// sqlite is the writer for SQLite. It writes the operations of many callers as one closure of the database's group
// commit, in which each quota is read and written once.
type sqlite struct {
	s   *Store
	ops batcher[sqliteOp]
}

// A sqliteOp is one caller's write. One of accept, begin, and apply is set.
type sqliteOp struct {
	accept  *acceptOp
	begin   []*Begin
	apply   *Transition
	applied Applied

	operation
}

func newSQLite(s *Store, m *metrics.Messages) *sqlite {
	w := &sqlite{s: s}
	w.ops = batcher[sqliteOp]{write: w.run, op: func(o *sqliteOp) *operation { return &o.operation }, sizes: m.Batches("any")}
	return w
}

func (w *sqlite) accept(ctx context.Context, items []*Acceptance, stop bool) error {
	return w.ops.submit(ctx, &sqliteOp{accept: &acceptOp{items: items, stopAtRefusal: stop}, operation: newOperation(ctx, len(items))})
}

func (w *sqlite) begin(ctx context.Context, all []*Begin) error {
	return w.ops.submit(ctx, &sqliteOp{begin: all, operation: newOperation(ctx, len(all))})
}

func (w *sqlite) apply(ctx context.Context, t *Transition) (Applied, error) {
	o := &sqliteOp{apply: t, operation: newOperation(ctx, 1)}
	err := w.ops.submit(ctx, o)
	return o.applied, err
}

// run writes a batch. If a batch fails, its operations are written again one by one, so that one operation's error
// does not affect the others.
func (w *sqlite) run(batch []*sqliteOp) {
	ctx := context.Background() // independent of the callers
	err := w.s.db.Write(ctx, func(tx *db.Tx) error { return w.write(tx, batch) })
	if err != nil && len(batch) > 1 {
		for _, o := range batch {
			o.end(w.s.db.Write(ctx, func(tx *db.Tx) error { return w.write(tx, []*sqliteOp{o}) }))
		}
		return
	}
	for _, o := range batch {
		o.end(err)
	}
}

func (o *sqliteOp) end(err error) {
	if o.err = err; err == nil {
		return
	}
	o.applied = Applied{}
	for _, b := range o.begin {
		b.forget()
	}
}

func (w *sqlite) write(tx *db.Tx, batch []*sqliteOp) error {
	accepts := make([]*acceptOp, 0, len(batch))
	for _, o := range batch {
		if o.accept != nil {
			accepts = append(accepts, o.accept)
		}
	}
	var log counts.Log
	for len(accepts) > 0 {
		n := beforeRepeatedKey(accepts)
		if err := w.s.acceptAll(tx, sqliteRows{tx}, accepts[:n], &log); err != nil {
			return err
		}
		accepts = accepts[n:]
	}
	for _, o := range batch {
		var err error
		switch {
		case o.begin != nil:
			err = w.s.beginAll(tx, sqliteRows{tx}, o.begin)
		case o.apply != nil:
			o.applied = Applied{}
			o.applied.Changed, err = o.apply.write(tx, w.s, &o.applied, &log)
		}
		if err != nil {
			return err
		}
	}
	return log.Write(tx)
}

// sqliteRows reads and writes the rows of a batch of acceptances one by one, because without a server, a statement is cheap.
type sqliteRows struct{ tx *db.Tx }

func (r sqliteRows) insertKeys(b *acceptBatch, keyed []*Acceptance) error {
	for _, a := range keyed {
		n, err := r.tx.Exec(`INSERT INTO idempotency_keys (account_id, key, message_id, fingerprint) VALUES ($1, $2, $3, $4) ON CONFLICT (account_id, key) DO NOTHING`,
			a.Message.AccountID, a.Key, a.Message.ID, a.Fingerprint)
		if err != nil {
			return err
		}
		if n == 1 {
			b.keyFree[a.Message.ID] = true
		}
	}
	return nil
}

// sweptKeys looks up keys only for accounts that have keys of deleted messages. Most accounts have none.
func (r sqliteRows) sweptKeys(b *acceptBatch, keyed []*Acceptance) error {
	var one int
	hasSwept := map[string]bool{}
	for _, a := range keyed {
		has, known := hasSwept[a.Message.AccountID]
		if !known {
			var err error
			if has, err = r.tx.Row(`SELECT 1 FROM swept_keys WHERE account_id = $1 LIMIT 1`, a.Message.AccountID).Scan(&one); err != nil {
				return err
			}
			hasSwept[a.Message.AccountID] = has
		}
		if !has {
			continue
		}
		found, err := r.tx.Row(`SELECT 1 FROM swept_keys WHERE account_id = $1 AND key_hash = $2`, a.Message.AccountID, b.sweptKeys.Hash(a.Message.AccountID, a.Key)).Scan(&one)
		if err != nil {
			return err
		}
		if found {
			b.swept[a.Message.ID] = true
		}
	}
	return nil
}

func (r sqliteRows) readCounters(b *acceptBatch, of []counter) error {
	for _, o := range of {
		var used int64
		row := r.tx.Row(`SELECT used FROM quotas WHERE account_id = $1 AND day = $2`, o.account, o.day)
		if o.recipient != "" {
			row = r.tx.Row(`SELECT used FROM recipient_counts WHERE account_id = $1 AND recipient = $2 AND day = $3`, o.account, o.recipient, o.day)
		}
		if _, err := row.Scan(&used); err != nil {
			return err
		}
		b.used[o], b.written[o] = used, used
	}
	return nil
}

func (r sqliteRows) writeCounters(b *acceptBatch, changed []counter) error {
	for _, o := range changed {
		var err error
		if o.recipient == "" {
			_, err = r.tx.Exec(`INSERT INTO quotas (account_id, day, used) VALUES ($1, $2, $3) ON CONFLICT (account_id, day) DO UPDATE SET used = excluded.used`, o.account, o.day, b.used[o])
		} else {
			_, err = r.tx.Exec(`INSERT INTO recipient_counts (account_id, recipient, day, used) VALUES ($1, $2, $3, $4) ON CONFLICT (account_id, recipient, day) DO UPDATE SET used = excluded.used`,
				o.account, o.recipient, o.day, b.used[o])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// An accountState is the state of an account on which its messages depend.
type accountState struct{ closed, suspended, hasOptOuts bool }

// readAccountState uses indexes that contain only closed and only suspended accounts.
const readAccountState = `SELECT COALESCE((SELECT 1 FROM accounts WHERE closed_at IS NOT NULL AND id = $1), 0), COALESCE((SELECT 1 FROM accounts WHERE suspended_at IS NOT NULL AND id = $1), 0), COALESCE((SELECT 1 FROM opt_outs WHERE account_id = $1 LIMIT 1), 0)`

func (r sqliteRows) accountState(id string) (of accountState, err error) {
	_, err = r.tx.Row(readAccountState, id).Scan(&of.closed, &of.suspended, &of.hasOptOuts)
	return of, err
}

func (r sqliteRows) accountStates(b *acceptBatch, ids []string) error {
	for _, id := range ids {
		of, err := r.accountState(id)
		if err != nil {
			return err
		}
		b.noteAccount(id, of)
	}
	return nil
}

// blocked sets none. No other process accepts messages, so this process has read the waiting ones.
func (r sqliteRows) blocked(*acceptBatch) error { return nil }

// inConversations sets all, because [inbox.AddToConversation] looks up the conversation.
func (r sqliteRows) inConversations(b *acceptBatch, of []*Acceptance) error {
	for _, a := range of {
		b.inConversation[a.Message.ID] = true
	}
	return nil
}

// rowsPerInsert is the number of rows that insertMany inserts.
const rowsPerInsert = 8

var (
	insertOne  = insertStatement(1)
	insertMany = insertStatement(rowsPerInsert)
)

// insertMessages uses the messages' row numbers as sequence numbers, which is safe with a single writer.
func (r sqliteRows) insertMessages(items []*Acceptance) error {
	if len(items) == 0 {
		return nil
	}
	var seq int64
	if _, err := r.tx.Row(`SELECT COALESCE(MAX(rowid), 0) FROM messages`).Scan(&seq); err != nil {
		return err
	}
	var args []any
	for i, a := range items {
		seq++
		number := seq
		if a.Message.Sensitive {
			number -= sensitiveSeqOffset
		}
		args = append(append(args, insertValues(a.Message)...), number)
		rest, text := len(items)-i-1, insertOne
		switch len(args) {
		case rowsPerInsert * insertWidth:
			text = insertMany
		case insertWidth:
			if rest >= rowsPerInsert-1 {
				continue
			}
		default:
			continue
		}
		if _, err := r.tx.Exec(text, args...); err != nil {
			return err
		}
		args = args[:0]
	}
	return nil
}

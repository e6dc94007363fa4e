package outbox

import (
	"context"
	"database/sql"
	"log/slog"
	"time"

	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
	"example.com/griot/internal/task"
	"example.com/griot/messaging/message"
)

// Parameters of a [Sweeper].
const (
	retentionEvery = time.Hour
	retentionSize  = 200                   // messages changed per transaction
	retentionPause = 20 * time.Millisecond // minimum pause between two transactions, so that others can write
	retentionShare = 4                     // the pause as a multiple of the last transaction's duration, if that is longer
	retentionAgain = time.Hour             // time after which messages that have not ended are checked again
)

// A Sweeper first deletes the contents of messages and then the messages, after their retention periods. For a
// message with an idempotency key, it keeps the data for responding to a repeated request.
type Sweeper struct {
	DB       *db.DB
	Swept    *message.SweptKeys
	Now      clock.Now
	Log      *slog.Logger
	Messages time.Duration // retention period of messages, from the time at which they were to be sent; 0: no limit
	Content  time.Duration // retention period of their contents
}

// Run calls Sweep once per hour until ctx ends.
func (s *Sweeper) Run(ctx context.Context) error {
	return task.Every(ctx, retentionEvery, s.Log, "sweeping messages", s.Sweep)
}

// Sweep deletes everything that is due. It reads the messages in the order of their IDs, which is the order of their
// times, a few per transaction. The position in retention_marks guards each transaction, so if two processes sweep at
// the same time, one stops.
func (s *Sweeper) Sweep(ctx context.Context) error {
	for _, prefix := range []string{id.Message, id.Sandbox} {
		if s.Messages > 0 {
			if err := s.pass(ctx, &pass{name: "messages:" + prefix, prefix: prefix, keep: s.Messages, change: deleteMessage, changed: s.keepKey, again: true}); err != nil {
				return err
			}
		}
		if s.Content > 0 {
			if err := s.pass(ctx, &pass{name: "content:" + prefix, prefix: prefix, keep: s.Content, change: removeContent, skipped: lookLater}); err != nil {
				return err
			}
		}
	}
	if s.Content == 0 {
		return nil
	}
	return s.later(ctx)
}

func (s *Sweeper) keepKey(tx *db.Tx, m *message.Message) error { return keepKey(tx, s.Swept, m) }

// A pass is one pass over the messages.
type pass struct {
	name, prefix string
	keep         time.Duration
	again        bool // start again after the end, because some messages were left

	change  func(tx *db.Tx, m *message.Message, changed func(db.Scan) error) error // passes the ID to changed, unless the version differs
	changed func(*db.Tx, *message.Message) error                                   // called after a change; nil: nothing
	skipped func(*db.Tx, *message.Message, time.Time) error                        // called for a message that was not changed, with the time of the next check; nil: nothing
}

func (s *Sweeper) pass(ctx context.Context, p *pass) error {
	now := s.Now()
	position, err := s.position(ctx, p.name)
	if err != nil {
		return err
	}
	for {
		began := clock.Running()
		list, err := messagesBetween(s.DB.Read(ctx), max(position, p.prefix), p.prefix+id.First(now.Add(-p.keep)), retentionSize)
		if err != nil {
			return err
		}
		next := ""
		if len(list) > 0 {
			next = list[len(list)-1].ID
		} else if !p.again || position == "" {
			return nil
		}
		mine := false
		err = s.DB.Write(ctx, func(tx *db.Tx) error {
			if mine, err = moveMark(tx, p.name, position, next); err != nil || !mine {
				return err
			}
			return s.step(tx, p, list, now)
		})
		if err != nil || !mine || len(list) == 0 {
			return err
		}
		position = next
		if !s.rest(ctx, clock.Running()-began) {
			return nil
		}
	}
}

func (s *Sweeper) step(tx *db.Tx, p *pass, list []*message.Message, now time.Time) error {
	changed := map[string]bool{}
	for _, m := range list {
		if keptUntil(m, p.keep, now).After(now) {
			continue
		}
		if err := p.change(tx, m, addID(changed)); err != nil {
			return err
		}
	}
	if err := tx.Flush(); err != nil {
		return err
	}
	for _, m := range list {
		var err error
		switch {
		case !changed[m.ID] && p.skipped != nil:
			err = p.skipped(tx, m, lookAt(m, p.keep, now))
		case changed[m.ID] && p.changed != nil:
			err = p.changed(tx, m)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// later checks the messages again that earlier passes have skipped.
func (s *Sweeper) later(ctx context.Context) error {
	for {
		now, began := s.Now(), clock.Running()
		ids, err := laterIDs(s.DB.Read(ctx), now, retentionSize)
		if err != nil || len(ids) == 0 {
			return err
		}
		err = s.DB.Write(ctx, func(tx *db.Tx) error {
			for _, id := range ids {
				if err := s.lookAgain(tx, id, now); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil || !s.rest(ctx, clock.Running()-began) {
			return err
		}
	}
}

// lookAgain removes the content of a message, or sets the time of its next check.
func (s *Sweeper) lookAgain(tx *db.Tx, id string, now time.Time) error {
	m, err := message.Get(&tx.Query, id)
	if err != nil {
		return err
	}
	done := map[string]bool{id: m == nil}
	if m != nil && !keptUntil(m, s.Content, now).After(now) {
		if err := removeContent(tx, m, addID(done)); err != nil {
			return err
		}
		if err := tx.Flush(); err != nil {
			return err
		}
	}
	if done[id] {
		_, err = tx.Exec(`DELETE FROM retention_later WHERE message_id = $1`, id)
		return err
	}
	_, err = tx.Exec(`UPDATE retention_later SET at = $1 WHERE message_id = $2`, db.Ms(lookAt(m, s.Content, now)), id)
	return err
}

// rest pauses after a transaction that took a certain time, so that others can use the database. The busier the disk
// is, the longer the pause. It returns false if ctx has ended.
func (s *Sweeper) rest(ctx context.Context, took time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(max(retentionPause, retentionShare*took)):
		return true
	}
}

// keptUntil returns the time until which a message is kept. Messages that wait, might still change their route, or
// are undecided are kept.
func keptUntil(m *message.Message, keep time.Duration, now time.Time) time.Time {
	start := m.CreatedAt
	if m.ScheduledAt.After(start) {
		start = m.ScheduledAt
	}
	until := start.Add(keep)
	if m.ExpiresAt.After(until) {
		until = m.ExpiresAt
	}
	if again := now.Add(retentionAgain); (m.Status.Open() || !m.DueAt.IsZero()) && until.Before(again) {
		until = again
	}
	return until
}

// lookAt returns the time of the next check for a message that a pass has left unchanged.
func lookAt(m *message.Message, keep time.Duration, now time.Time) time.Time {
	at := keptUntil(m, keep, now)
	if !at.After(now) { // it has changed since it was read
		at = now.Add(retentionAgain)
	}
	return at
}

func deleteMessage(tx *db.Tx, m *message.Message, deleted func(db.Scan) error) error {
	return tx.Queue(deleted, `DELETE FROM messages WHERE id = $1 AND version = $2 RETURNING id`, m.ID, m.Version)
}

func removeContent(tx *db.Tx, m *message.Message, removed func(db.Scan) error) error {
	after := *m
	if !after.RemoveContent() {
		return tx.Queue(removed, `SELECT CAST($1 AS TEXT)`, m.ID) // there is nothing to remove
	}
	return tx.Queue(removed, `UPDATE messages SET content = $1, options = $2, version = version + 1 WHERE id = $3 AND version = $4 RETURNING id`, after.StoredContent(), db.Null(after.StoredOptions()), m.ID, m.Version)
}

const messagesInOrder = `SELECT ` + message.Columns + ` FROM messages WHERE id > $1 AND id < $2 ORDER BY id`

func messagesBetween(q *db.Query, after, before string, n int) (out []*message.Message, err error) {
	err = q.Page(n, func(rows *sql.Rows) error {
		m, err := message.Scan(rows.Scan)
		out = append(out, m)
		return err
	}, messagesInOrder, after, before)
	return out, err
}

func (s *Sweeper) position(ctx context.Context, name string) (position string, err error) {
	_, err = s.DB.Read(ctx).Row(`SELECT position FROM retention_marks WHERE name = $1`, name).Scan(&position)
	return position, err
}

// moveMark moves a sweep's position, unless another process has moved it.
func moveMark(tx *db.Tx, name, from, to string) (bool, error) {
	if from == "" {
		if _, err := tx.Exec(`INSERT INTO retention_marks (name, position) VALUES ($1, '') ON CONFLICT DO NOTHING`, name); err != nil {
			return false, err
		}
	}
	n, err := tx.Exec(`UPDATE retention_marks SET position = $1 WHERE name = $2 AND position = $3`, to, name, from)
	return n == 1, err
}

func lookLater(tx *db.Tx, m *message.Message, at time.Time) error {
	_, err := tx.Exec(`INSERT INTO retention_later (message_id, at) VALUES ($1, $2) ON CONFLICT (message_id) DO UPDATE SET at = excluded.at`, m.ID, db.Ms(at))
	return err
}

func laterIDs(q *db.Query, now time.Time, n int) (out []string, err error) {
	err = q.Page(n, func(rows *sql.Rows) error {
		var id string
		err := rows.Scan(&id)
		out = append(out, id)
		return err
	}, `SELECT message_id FROM retention_later WHERE at <= $1 ORDER BY at`, db.Ms(now))
	return out, err
}

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

// Bounds of a [Sweeper].
const (
	retentionEvery = time.Hour
	retentionSize  = 200                   // messages that one transaction changes
	retentionPause = 20 * time.Millisecond // between two, in which others write, at least
	retentionShare = 4                     // the pause in times of what the last transaction took, where that is longer
	retentionAgain = time.Hour             // after which what has not ended is looked at again
)

// Sweeper deletes messages, and before them what they say, once they have been kept long enough. Of a message with an
// idempotency key stays what answers a request that repeats it.
type Sweeper struct {
	DB       *db.DB
	Swept    *message.SweptKeys
	Now      clock.Now
	Log      *slog.Logger
	Messages time.Duration // how long messages are kept, from when they were to go; 0: for ever
	Content  time.Duration // the same of what they say
}

// Run sweeps once an hour until ctx ends.
func (s *Sweeper) Run(ctx context.Context) error {
	return task.Every(ctx, retentionEvery, s.Log, "sweeping messages", s.Sweep)
}

// Sweep does what is due. It goes through the messages in the order of their ids, which is that of their times, a few in a
// transaction. The position in retention_marks is the fence of each: of two processes that sweep at once, one stops.
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

// pass is one way through the messages.
type pass struct {
	name, prefix string
	keep         time.Duration
	again        bool // begin anew after the end: what was left as it was is still there

	change  func(tx *db.Tx, m *message.Message, changed func(db.Scan) error) error // gives its id to changed, unless it has another version
	changed func(*db.Tx, *message.Message) error                                   // what follows a change; nil: nothing
	skipped func(*db.Tx, *message.Message, time.Time) error                        // of what was not changed, with when to look again; nil: nothing
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

// later looks again at what passes have skipped.
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

// lookAgain removes what a message says, or sets when it is looked at the next time.
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

// rest leaves the database to others after a transaction that took so long: the busier the disk is, the longer. It returns false when
// ctx has ended.
func (s *Sweeper) rest(ctx context.Context, took time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(max(retentionPause, retentionShare*took)):
		return true
	}
}

// keptUntil returns until when a message is kept. What waits, may still change its route, or is not decided yet stays.
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

// lookAt returns when a message is looked at that a pass has left as it was.
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

// moveMark moves a sweep's position, unless another process has.
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

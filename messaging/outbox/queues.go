package outbox

import (
	"context"
	"database/sql"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
)

// A Queue contains the numbers of queued messages of a channel.
type Queue struct {
	Channel gateway.Channel
	Ready   int64 // messages that wait only for their turn
	Due     int64 // due messages: scheduled ones, retries, and those whose check is due
	Later   int64 // scheduled, waiting for a later retry, or being submitted to a gateway

	ReadySince time.Time // start of the wait of the oldest ready message; zero: none
	DueSince   time.Time // due time of the message that has been due for the longest time; zero: none
}

// Oldest returns the start of the wait of the oldest ready or due message. It returns the zero time if there is none.
func (q *Queue) Oldest() time.Time {
	if q.ReadySince.IsZero() || !q.DueSince.IsZero() && q.DueSince.Before(q.ReadySince) {
		return q.DueSince
	}
	return q.ReadySince
}

const maxChannels = 50

const queuesText = sendersCTE + `SELECT channel, CAST(SUM(ready) AS BIGINT), CAST(SUM(due) AS BIGINT), CAST(SUM(later) AS BIGINT), MIN(ready_since), MIN(due_since) FROM (
 SELECT (SELECT m.channel FROM messages m WHERE m.sender_id = r.id AND m.status = 'QUEUED' AND m.due_at IS NULL LIMIT 1) AS channel,
 (SELECT count(*) FROM messages m WHERE m.sender_id = r.id AND m.status = 'QUEUED' AND m.due_at IS NULL) AS ready, 0 AS due, 0 AS later,
 (SELECT m.created_at FROM messages m WHERE m.sender_id = r.id AND m.status = 'QUEUED' AND m.due_at IS NULL ORDER BY m.seq LIMIT 1) AS ready_since, CAST(NULL AS BIGINT) AS due_since FROM r WHERE r.id IS NOT NULL
 UNION ALL SELECT (SELECT m.channel FROM messages m WHERE m.sender_id = r.id AND m.status = 'QUEUED' AND m.due_at IS NULL LIMIT 1), 0, 0, 0,
 (SELECT m.created_at FROM messages m WHERE m.sender_id = r.id AND m.status = 'QUEUED' AND m.due_at IS NULL AND m.seq >= 0 ORDER BY m.seq LIMIT 1), CAST(NULL AS BIGINT) FROM r WHERE r.id IS NOT NULL
 UNION ALL SELECT (SELECT m.channel FROM messages m WHERE m.sender_id = w.id AND m.due_at IS NOT NULL LIMIT 1), 0,
 (SELECT count(*) FROM messages m WHERE m.sender_id = w.id AND m.due_at <= $1), (SELECT count(*) FROM messages m WHERE m.sender_id = w.id AND m.due_at > $1),
 CAST(NULL AS BIGINT), (SELECT MIN(m.due_at) FROM messages m WHERE m.sender_id = w.id AND m.due_at <= $1) FROM w WHERE w.id IS NOT NULL
) AS waiting WHERE channel IS NOT NULL GROUP BY channel ORDER BY channel`

// Queues counts the queued messages by channel. It reads only indexes.
func Queues(ctx context.Context, d *db.DB, now time.Time) (out []Queue, err error) {
	err = d.Read(ctx).Page(maxChannels, func(rows *sql.Rows) error {
		var q Queue
		var ready, due sql.NullInt64
		err := rows.Scan(&q.Channel, &q.Ready, &q.Due, &q.Later, &ready, &due)
		q.ReadySince, q.DueSince = db.AtNull(ready), db.AtNull(due)
		out = append(out, q)
		return err
	}, queuesText, db.Ms(now))
	return out, err
}

// A NodeState is a process that sends messages, with the senders that it owns.
type NodeState struct {
	ID    string
	Until time.Time // the end of its lease
	Alive bool      // the lease is valid
	Owned []OwnedSender
}

// An OwnedSender is a sender that a node owns.
type OwnedSender struct {
	ID               string
	Channel, Address string    // empty: the sender was removed
	PausedUntil      time.Time // by the circuit breaker; zero: not paused
}

// Nodes lists the processes that send messages from the database, with at most n senders in total. It returns none on
// SQLite, where this process is the only one.
func Nodes(ctx context.Context, d *db.DB, n int) (out []NodeState, err error) {
	if d.Engine() == db.SQLite {
		return nil, nil
	}
	err = d.Read(ctx).Page(n, func(rows *sql.Rows) error {
		var node NodeState
		var until int64
		var sender, channel, address sql.NullString
		var pause, paused sql.NullInt64
		if err := rows.Scan(&node.ID, &until, &node.Alive, &sender, &channel, &address, &pause, &paused); err != nil {
			return err
		}
		if len(out) == 0 || out[len(out)-1].ID != node.ID {
			node.Until = db.At(until)
			out = append(out, node)
		}
		if sender.Valid {
			owned := OwnedSender{ID: sender.String, Channel: channel.String, Address: address.String}
			if pause.Int64 > 0 {
				owned.PausedUntil = db.At(paused.Int64)
			}
			last := &out[len(out)-1]
			last.Owned = append(last.Owned, owned)
		}
		return nil
	}, `SELECT n.id, n.until, n.until >= `+clockMs+`, o.sender_id, s.channel, s.address, o.pause, o.paused_until
 FROM nodes n LEFT JOIN sender_owners o ON o.node_id = n.id AND o.node_epoch = n.epoch LEFT JOIN senders s ON s.id = o.sender_id ORDER BY n.id, s.channel, s.address, o.sender_id`)
	return out, err
}

// NodeID identifies this process among those of [Nodes]. It returns "" on SQLite and without a lease.
func (s *Store) NodeID() string {
	if own := s.node.id.Load(); own != nil {
		return own.id
	}
	return ""
}

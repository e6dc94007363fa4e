package outbox

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/failpoint"
	"example.com/griot/internal/id"
)

// nodeRetention is the time for which the row of a stopped node is kept, because its ID and epoch must not be used again.
const nodeRetention = time.Hour

// A node is this process among those that send messages from one database. On SQLite, it is the only one, and always has its lease.
type node struct {
	single bool
	id     atomic.Pointer[identity]
}

type identity struct {
	id    string
	epoch int64
}

// fence sets held to whether this node can still call gateways. The result is available after the transaction's
// Flush. It locks the node's row against changes of its epoch, but not against its own renewals.
func (n *node) fence(tx *db.Tx, held *bool) error {
	if *held = n.single || failpoint.Has(failpoint.NoFence); *held {
		return nil
	}
	own := n.id.Load()
	if own == nil {
		return nil
	}
	return tx.Queue(func(db.Scan) error {
		*held = true
		return nil
	}, `SELECT 1 FROM nodes WHERE id = $1 AND epoch = $2 FOR KEY SHARE`, own.id, own.epoch)
}

// AwaitBegins waits for the transactions that mark messages as SENDING on any node, and blocks new ones until this
// transaction ends, so that its writes are either before or after each of them.
func (s *Store) AwaitBegins(tx *db.Tx) error {
	if s.node.single { // transactions are serialized
		return nil
	}
	return tx.Queue(nil, `SELECT id FROM nodes ORDER BY id FOR UPDATE`)
}

// SingleNode reports whether no other process can use the database. In that case, this process owns every sender.
func (s *Store) SingleNode() bool { return s.node.single }

// clockMs is the database's time at the statement, not at the start of the transaction.
const clockMs = `CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)`

// RenewLease takes or renews this node's lease for a time. fresh means that the node has a new epoch and owns no
// sender. If the node's program must no longer use the database, RenewLease returns a [db.SchemaError], and the lease
// ends.
func (s *Store) RenewLease(ctx context.Context, lease time.Duration) (fresh bool, err error) {
	if s.node.single {
		return false, nil
	}
	if err := s.db.CheckFloor(ctx); err != nil {
		return false, err
	}
	own := s.node.id.Load()
	if own != nil {
		var n int64
		err := s.db.Write(ctx, func(tx *db.Tx) (err error) {
			n, err = tx.Exec(`UPDATE nodes SET until = `+clockMs+` + $1 WHERE id = $2 AND epoch = $3`, lease.Milliseconds(), own.id, own.epoch)
			return err
		})
		if err != nil || n == 1 || failpoint.Has(failpoint.NoFence) {
			return false, err
		}
	}
	next := &identity{id.Random(), 1}
	err = s.db.Write(ctx, func(tx *db.Tx) error {
		_, err := tx.Exec(`INSERT INTO nodes (id, epoch, until) VALUES ($1, $2, `+clockMs+` + $3)`, next.id, next.epoch, lease.Milliseconds())
		return err
	})
	if err == nil {
		s.node.id.Store(next)
	}
	return true, err
}

// fenceWait is the maximum time for which a fence waits for writes that a node has started. A fence that waits longer
// fails, because its own node must renew its lease in the meantime.
const fenceWait = time.Second

// FenceExpired increments the epoch of nodes whose lease ended more than margin ago, which takes their senders from
// them. Only a node whose own renewals are on time can call it. Otherwise, a slow database would make all nodes fence
// each other.
func (s *Store) FenceExpired(ctx context.Context, margin time.Duration) error {
	own := s.node.id.Load()
	if own == nil {
		return nil
	}
	var some int
	found, err := s.db.Read(ctx).Row(`SELECT 1 FROM nodes WHERE id <> $1 AND until + $2 < `+clockMs+` LIMIT 1`, own.id, margin.Milliseconds()).Scan(&some)
	if err != nil || !found {
		return err
	}
	return s.db.Write(ctx, func(tx *db.Tx) error {
		if err := tx.Queue(nil, fmt.Sprintf(`SET LOCAL lock_timeout = %d`, s.fenceWait.Milliseconds())); err != nil {
			return err
		}
		if _, err := tx.Exec(`UPDATE nodes SET epoch = epoch + 1, until = `+clockMs+` WHERE id IN (SELECT n.id FROM nodes n WHERE n.id <> $1 AND n.until + $2 < `+clockMs+`
 AND EXISTS (SELECT 1 FROM sender_owners o WHERE o.node_id = n.id AND o.node_epoch = n.epoch))`, own.id, margin.Milliseconds()); err != nil {
			return err
		}
		_, err := tx.Exec(`DELETE FROM nodes WHERE id <> $1 AND until + $2 < `+clockMs, own.id, nodeRetention.Milliseconds())
		return err
	})
}

// A Pause contains the length and the end of the period for which a sender's circuit breaker is open.
type Pause struct {
	Lasts time.Duration // 0: the breaker is closed
	Until time.Time
}

// An Ownership is the result of claiming a sender.
type Ownership struct {
	Owned     bool
	TakenOver bool  // another node owned the sender before
	Pause     Pause // of the circuit breaker, as stored by the previous node
}

// ClaimSender makes this node the owner of a sender, unless another node owns it and has not been fenced.
func (s *Store) ClaimSender(ctx context.Context, senderID string) (o Ownership, err error) {
	if s.node.single {
		return Ownership{Owned: true}, nil
	}
	own := s.node.id.Load()
	if own == nil {
		return Ownership{}, nil
	}
	var lasts, until int64
	err = s.db.Write(ctx, func(tx *db.Tx) (err error) {
		o.Owned, err = tx.Row(`INSERT INTO sender_owners (sender_id, node_id, node_epoch) SELECT CAST($1 AS TEXT), id, epoch FROM nodes WHERE id = $2 AND epoch = $3
 ON CONFLICT (sender_id) DO UPDATE SET node_id = excluded.node_id, node_epoch = excluded.node_epoch
 WHERE (sender_owners.node_id = excluded.node_id AND sender_owners.node_epoch = excluded.node_epoch)
 OR NOT EXISTS (SELECT 1 FROM nodes n WHERE n.id = sender_owners.node_id AND n.epoch = sender_owners.node_epoch) RETURNING pause, paused_until, xmax <> 0`, senderID, own.id, own.epoch).Scan(&lasts, &until, &o.TakenOver) // xmax shows that the row existed before
		return err
	})
	if lasts > 0 {
		o.Pause = Pause{time.Duration(lasts) * time.Millisecond, db.At(until)}
	}
	return o, err
}

// SetPause stores the pause of a sender's circuit breaker for the sender's next owner.
func (s *Store) SetPause(ctx context.Context, senderID string, p Pause) error {
	own := s.node.id.Load()
	if s.node.single || own == nil {
		return nil
	}
	return s.db.Write(ctx, func(tx *db.Tx) error {
		var until int64
		if p.Lasts > 0 {
			until = db.Ms(p.Until)
		}
		_, err := tx.Exec(`UPDATE sender_owners SET pause = $1, paused_until = $2 WHERE sender_id = $3 AND node_id = $4 AND node_epoch = $5`, p.Lasts.Milliseconds(), until, senderID, own.id, own.epoch)
		return err
	})
}

// ReleaseSender ends this node's ownership of a sender, unless the pause of its circuit breaker is stored with it.
func (s *Store) ReleaseSender(ctx context.Context, senderID string) error {
	own := s.node.id.Load()
	if s.node.single || own == nil {
		return nil
	}
	return s.db.Write(ctx, func(tx *db.Tx) error {
		_, err := tx.Exec(`DELETE FROM sender_owners WHERE sender_id = $1 AND node_id = $2 AND node_epoch = $3 AND pause = 0`, senderID, own.id, own.epoch)
		return err
	})
}

// ReleaseLease ends this node's lease, so that others can claim its senders immediately.
func (s *Store) ReleaseLease(ctx context.Context) error {
	own := s.node.id.Swap(nil)
	if s.node.single || own == nil {
		return nil
	}
	return s.db.Write(ctx, func(tx *db.Tx) error {
		_, err := tx.Exec(`DELETE FROM nodes WHERE id = $1`, own.id)
		return err
	})
}

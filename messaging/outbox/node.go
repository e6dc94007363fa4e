package outbox

import (
	"context"
	"sync/atomic"
	"time"

	"griot/internal/db"
	"griot/internal/id"
)

// forgetNode is for how long a node that is gone is kept in mind: nobody may come back under its id and epoch.
const forgetNode = time.Hour

// node is this process among those that deliver on one database. On SQLite it is the only one, and always has its lease.
type node struct {
	alone bool
	id    atomic.Pointer[identity]
}

type identity struct {
	id    string
	epoch int64
}

// fence reports, in a write, whether this node may still hand messages over. It locks the node's row against those who
// would raise its epoch, and not against its own renewals.
func (n *node) fence(tx *db.Tx) (bool, error) {
	if n.alone {
		return true, nil
	}
	own := n.id.Load()
	if own == nil {
		return false, nil
	}
	var one int
	return tx.Row(`SELECT 1 FROM nodes WHERE id = $1 AND epoch = $2 FOR KEY SHARE`, own.id, own.epoch).Scan(&one)
}

// Alone reports whether no other process has the database: then this one owns every sender.
func (s *Store) Alone() bool { return s.node.alone }

// clockMs is the database's own time, not that of the transaction's beginning.
const clockMs = `CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)`

// Renew gets this node its lease, or renews it, for a time. fresh: it begins anew, and owns nothing of what it owned.
func (s *Store) Renew(ctx context.Context, lease time.Duration) (fresh bool, err error) {
	if s.node.alone {
		return false, nil
	}
	own := s.node.id.Load()
	if own != nil {
		var n int64
		err := s.db.Write(ctx, func(tx *db.Tx) (err error) {
			n, err = tx.Exec(`UPDATE nodes SET until = `+clockMs+` + $1 WHERE id = $2 AND epoch = $3`, lease.Milliseconds(), own.id, own.epoch)
			return err
		})
		if err != nil || n == 1 {
			return false, err
		}
	}
	anew := &identity{id.Random(), 1}
	err = s.db.Write(ctx, func(tx *db.Tx) error {
		_, err := tx.Exec(`INSERT INTO nodes (id, epoch, until) VALUES ($1, $2, `+clockMs+` + $3)`, anew.id, anew.epoch, lease.Milliseconds())
		return err
	})
	if err == nil {
		s.node.id.Store(anew)
	}
	return true, err
}

// Fence takes their senders from the nodes whose lease has been over for margin. Only a node whose own renewals are on
// time may do so: else a slow database would make all nodes fence each other.
func (s *Store) Fence(ctx context.Context, margin time.Duration) error {
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
		if _, err := tx.Exec(`UPDATE nodes SET epoch = epoch + 1, until = `+clockMs+` WHERE id IN (SELECT n.id FROM nodes n WHERE n.id <> $1 AND n.until + $2 < `+clockMs+`
 AND EXISTS (SELECT 1 FROM sender_owners o WHERE o.node_id = n.id AND o.node_epoch = n.epoch))`, own.id, margin.Milliseconds()); err != nil {
			return err
		}
		_, err := tx.Exec(`DELETE FROM nodes WHERE id <> $1 AND until + $2 < `+clockMs, own.id, forgetNode.Milliseconds())
		return err
	})
}

// Pause is a circuit breaker's.
type Pause struct {
	Lasts time.Duration // 0: the breaker is closed
	Until time.Time
}

// Owned is what came of [Store.Own].
type Owned struct {
	Mine  bool
	After bool  // a node that is gone had the sender before
	Pause Pause // that this node's breaker had
}

// Own makes this node the one that delivers for a sender, unless a living node is.
func (s *Store) Own(ctx context.Context, senderID string) (o Owned, err error) {
	if s.node.alone {
		return Owned{Mine: true}, nil
	}
	own := s.node.id.Load()
	if own == nil {
		return Owned{}, nil
	}
	var lasts, until int64
	err = s.db.Write(ctx, func(tx *db.Tx) (err error) {
		o.Mine, err = tx.Row(`INSERT INTO sender_owners (sender_id, node_id, node_epoch) SELECT CAST($1 AS TEXT), id, epoch FROM nodes WHERE id = $2 AND epoch = $3
 ON CONFLICT (sender_id) DO UPDATE SET node_id = excluded.node_id, node_epoch = excluded.node_epoch
 WHERE (sender_owners.node_id = excluded.node_id AND sender_owners.node_epoch = excluded.node_epoch)
 OR NOT EXISTS (SELECT 1 FROM nodes n WHERE n.id = sender_owners.node_id AND n.epoch = sender_owners.node_epoch) RETURNING pause, paused_until, xmax <> 0`, senderID, own.id, own.epoch).Scan(&lasts, &until, &o.After) // xmax: of a row that was there
		return err
	})
	if lasts > 0 {
		o.Pause = Pause{time.Duration(lasts) * time.Millisecond, db.At(until)}
	}
	return o, err
}

// SetPause keeps the pause of a sender's circuit breaker for the node that comes after this one.
func (s *Store) SetPause(ctx context.Context, senderID string, p Pause) error {
	own := s.node.id.Load()
	if s.node.alone || own == nil {
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

// Disown gives a sender back.
func (s *Store) Disown(ctx context.Context, senderID string) error {
	own := s.node.id.Load()
	if s.node.alone || own == nil {
		return nil
	}
	return s.db.Write(ctx, func(tx *db.Tx) error {
		_, err := tx.Exec(`DELETE FROM sender_owners WHERE sender_id = $1 AND node_id = $2 AND node_epoch = $3 AND pause = 0`, senderID, own.id, own.epoch)
		return err
	})
}

// Leave ends this node's lease: others may have its senders at once.
func (s *Store) Leave(ctx context.Context) error {
	own := s.node.id.Swap(nil)
	if s.node.alone || own == nil {
		return nil
	}
	return s.db.Write(ctx, func(tx *db.Tx) error {
		_, err := tx.Exec(`DELETE FROM nodes WHERE id = $1`, own.id)
		return err
	})
}

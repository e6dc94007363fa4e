package main

import (
	"context"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"griot/internal/db"
	"griot/internal/id"
)

// inserter does what a durable accept costs at the least: one row a transaction,
// through the same group commit and pragmas.
type inserter struct {
	db   *db.DB
	body string
}

const insertBody = 300 // bytes

func newInserter(ctx context.Context, dir string) (*inserter, error) {
	d, err := db.Open(ctx, "sqlite:"+filepath.Join(dir, "bare.db"))
	if err != nil {
		return nil, err
	}
	return newRows(ctx, d)
}

func newRows(ctx context.Context, d *db.DB) (*inserter, error) {
	b := &inserter{db: d}
	for len(b.body) < insertBody {
		b.body += "griot "
	}
	return b, d.Write(ctx, func(tx *db.Tx) error {
		if _, err := tx.Exec(`CREATE TABLE bare_rows (id TEXT NOT NULL PRIMARY KEY, account TEXT NOT NULL, body TEXT NOT NULL, at BIGINT NOT NULL)`); err != nil {
			return err
		}
		_, err := tx.Exec(`CREATE INDEX bare_rows_account ON bare_rows (account, id)`)
		return err
	})
}

func (b *inserter) insert(ctx context.Context) error {
	now := time.Now()
	key := id.New(now)
	return b.db.Write(ctx, func(tx *db.Tx) error {
		_, err := tx.Exec(`INSERT INTO bare_rows (id, account, body, at) VALUES ($1, $2, $3, $4)`, key, "account", b.body, now.UnixMilli())
		return err
	})
}

// repeat calls do from conns goroutines for d.
func repeat(ctx context.Context, conns int, d time.Duration, do func(context.Context) error) (*result, error) {
	res := &result{}
	var failure error
	var stop atomic.Bool
	var wg sync.WaitGroup
	var mu sync.Mutex
	start := time.Now()
	for range conns {
		wg.Go(func() {
			var mine []time.Duration
			var err error
			for !stop.Load() && err == nil {
				begun := time.Now()
				err = do(ctx)
				mine = append(mine, time.Since(begun))
			}
			mu.Lock()
			defer mu.Unlock()
			res.times = append(res.times, mine...)
			if err != nil {
				failure = err
			}
		})
	}
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
	stop.Store(true)
	wg.Wait()
	res.count, res.took = int64(len(res.times)), time.Since(start)
	res.all = res.count
	return res, failure
}

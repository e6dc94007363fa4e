package store

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// Lease says that one process holds a number's device, until it runs out. Who takes it next has a higher epoch.
type Lease struct {
	Number string
	Epoch  int64
	s      *Store
	holder string
	ttl    time.Duration
}

// Acquire takes the number's lease for a holder, or returns nil where another holds it.
func (s *Store) Acquire(ctx context.Context, number, holder string, ttl time.Duration) (*Lease, error) {
	var epoch int64
	err := s.row(ctx, `INSERT INTO griot_leases (number, holder, epoch, until_ms) VALUES ($1, $2, 1, `+s.clock()+` + $3)
		ON CONFLICT (number) DO UPDATE SET holder = excluded.holder, epoch = griot_leases.epoch + 1, until_ms = excluded.until_ms
		WHERE griot_leases.until_ms < `+s.clock()+` RETURNING epoch`, number, holder, ttl.Milliseconds()).Scan(&epoch)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &Lease{Number: number, Epoch: epoch, s: s, holder: holder, ttl: ttl}, nil
}

// Renew prolongs the lease, and reports whether it was still this process's.
func (l *Lease) Renew(ctx context.Context) (bool, error) {
	return l.s.changed(ctx, `UPDATE griot_leases SET until_ms = `+l.s.clock()+` + $1 WHERE number = $2 AND holder = $3 AND epoch = $4 AND until_ms >= `+l.s.clock(),
		l.ttl.Milliseconds(), l.Number, l.holder, l.Epoch)
}

// Release gives the lease back, so that another process need not wait for its end.
func (l *Lease) Release(ctx context.Context) error {
	return l.s.exec(ctx, `UPDATE griot_leases SET until_ms = 0 WHERE number = $1 AND holder = $2 AND epoch = $3`, l.Number, l.holder, l.Epoch)
}

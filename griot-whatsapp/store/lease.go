package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"time"
)

// DefaultLease is the time until the number of a crashed process can be taken over.
const DefaultLease = 15 * time.Second

// Lease gives one process the exclusive use of a number's device until it expires. Each later lease of the number has a higher epoch.
type Lease struct {
	Number string
	Epoch  int64
	s      *Store
	holder string
	ttl    time.Duration
}

// Acquire acquires the number's lease for a holder, or returns nil if another holder has it.
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

// Renew extends one holder's leases in a single statement, each under its epoch. It returns the leases that the holder has lost.
func (s *Store) Renew(ctx context.Context, leases []*Lease) (lost []*Lease, err error) {
	if len(leases) == 0 {
		return nil, nil
	}
	held, byNumber := make([][2]string, 0, len(leases)), make(map[string]*Lease, len(leases))
	for _, l := range leases {
		held = append(held, [2]string{l.Number, strconv.FormatInt(l.Epoch, 10)})
		byNumber[l.Number] = l
	}
	list, err := json.Marshal(held)
	if err != nil {
		return nil, err
	}
	each := `json_each($3)`
	if s.db.Postgres {
		each = `json_array_elements(CAST(CAST($3 AS TEXT) AS JSON))`
	}
	rows, err := s.db.QueryContext(ctx, s.db.Query(`UPDATE griot_leases SET until_ms = `+s.clock()+` + $1 FROM `+each+` AS held
		WHERE number = held.value ->> 0 AND epoch = CAST(held.value ->> 1 AS BIGINT) AND holder = $2 AND until_ms >= `+s.clock()+` RETURNING number`),
		leases[0].ttl.Milliseconds(), leases[0].holder, string(list))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var number string
		if err := rows.Scan(&number); err != nil {
			return nil, err
		}
		delete(byNumber, number)
	}
	return slices.Collect(maps.Values(byNumber)), rows.Err()
}

// Release releases the lease, so that another process does not have to wait until it expires.
func (l *Lease) Release(ctx context.Context) error {
	return l.s.exec(ctx, `UPDATE griot_leases SET until_ms = 0 WHERE number = $1 AND holder = $2 AND epoch = $3`, l.Number, l.holder, l.Epoch)
}

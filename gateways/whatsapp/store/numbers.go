package store

import (
	"context"
	"errors"
	"time"
)

// Number is a paired number.
type Number struct {
	Number string
	JID    string // of our device
	State  string // the latest that is to be kept, or ""
	Until  time.Time
	Paired time.Time
}

// Save stores a number that was just paired. An older pairing of it is forgotten.
func (s *Store) Save(ctx context.Context, number, jid string) error {
	return s.exec(ctx, `INSERT INTO griot_numbers (number, jid, state, until_ms, paired_ms) VALUES ($1, $2, '', 0, `+s.clock()+`)
		ON CONFLICT (number) DO UPDATE SET jid = excluded.jid, state = '', until_ms = 0, paired_ms = excluded.paired_ms`, number, jid)
}

// SetState stores a state that holds after a restart too, of the pairing that it is about. The first one stays: it has the reason.
func (s *Store) SetState(ctx context.Context, number, jid, state string, until time.Time) error {
	return s.exec(ctx, `UPDATE griot_numbers SET state = $1, until_ms = $2 WHERE number = $3 AND jid = $4 AND state = ''`, state, toMillis(until), number, jid)
}

// Remove forgets a number, who has written to it, and what they attached.
func (s *Store) Remove(ctx context.Context, number string) (bool, error) {
	for _, table := range []string{"griot_writers", "griot_questions", "griot_media"} {
		if err := s.exec(ctx, `DELETE FROM `+table+` WHERE number = $1`, number); err != nil {
			return false, err
		}
	}
	return s.changed(ctx, `DELETE FROM griot_numbers WHERE number = $1`, number)
}

// Numbers returns the paired numbers.
func (s *Store) Numbers(ctx context.Context) (list []Number, err error) {
	rows, err := s.db.QueryContext(ctx, `SELECT number, jid, state, until_ms, paired_ms FROM griot_numbers ORDER BY number`)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var n Number
		var until, paired int64
		if err := rows.Scan(&n.Number, &n.JID, &n.State, &until, &paired); err != nil {
			return nil, err
		}
		n.Until, n.Paired = fromMillis(until), fromMillis(paired)
		list = append(list, n)
	}
	return list, rows.Err()
}

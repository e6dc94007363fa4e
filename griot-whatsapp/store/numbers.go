package store

import (
	"context"
	"errors"
	"time"
)

// Number is a paired number.
type Number struct {
	Number string
	JID    string // the JID of the gateway's device
	State  string // the latest persistent state, or ""
	Until  time.Time
	Paired time.Time
	Held   bool // a process holds its lease
}

// Save stores a number that was just paired under the lease. It deletes an older pairing of the number and its ban,
// because a banned phone cannot link a device.
func (s *Store) Save(ctx context.Context, lease *Lease, jid string) error {
	saved, err := s.changed(ctx, `INSERT INTO griot_numbers (number, jid, state, until_ms, paired_ms)
		SELECT number, $1, '', 0, `+s.clock()+` FROM griot_leases WHERE number = $2 AND epoch = $3 AND until_ms >= `+s.clock()+`
		ON CONFLICT (number) DO UPDATE SET jid = excluded.jid, state = '', until_ms = 0, paired_ms = excluded.paired_ms`, jid, lease.Number, lease.Epoch)
	if err == nil && !saved {
		err = ErrLease
	}
	if err != nil {
		return err
	}
	if err := s.exec(ctx, `DELETE FROM griot_restrictions WHERE number = $1 AND reason = 'temporary_ban'`, lease.Number); err != nil {
		return err
	}
	return s.Linked(ctx, lease.Number, jid)
}

// SetLinking stores that a phone is about to link a device to its number under the lease. If the process is killed before
// [Store.Save] or [Store.Linked], another one can complete the pairing.
func (s *Store) SetLinking(ctx context.Context, lease *Lease, jid string) error {
	stored, err := s.changed(ctx, `INSERT INTO griot_linking (number, jid) SELECT number, $1 FROM griot_leases WHERE number = $2 AND epoch = $3 AND until_ms >= `+s.clock()+`
		ON CONFLICT (number) DO UPDATE SET jid = excluded.jid`, jid, lease.Number, lease.Epoch)
	if err == nil && !stored {
		err = ErrLease
	}
	return err
}

// Linking returns the JIDs of the devices whose pairing has not been completed, by number.
func (s *Store) Linking(ctx context.Context) (jids map[string]string, err error) {
	rows, err := s.db.QueryContext(ctx, `SELECT number, jid FROM griot_linking`)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	jids = map[string]string{}
	for rows.Next() {
		var number, jid string
		if err := rows.Scan(&number, &jid); err != nil {
			return nil, err
		}
		jids[number] = jid
	}
	return jids, rows.Err()
}

// Linked deletes what [Store.SetLinking] has stored, because the pairing was completed or has failed.
func (s *Store) Linked(ctx context.Context, number, jid string) error {
	return s.exec(ctx, `DELETE FROM griot_linking WHERE number = $1 AND jid = $2`, number, jid)
}

// SetState stores a state of a pairing that must survive a restart. If a state is already stored, it stays, because
// it contains the original reason.
func (s *Store) SetState(ctx context.Context, number, jid, state string, until time.Time) error {
	return s.exec(ctx, `UPDATE griot_numbers SET state = $1, until_ms = $2 WHERE number = $3 AND jid = $4 AND state = ''`, state, toMillis(until), number, jid)
}

// SetRestriction stores the end of WhatsApp's restriction of a number, for one reason. The zero time ends the
// restriction. Restrictions apply to the account, not to the device, so they survive a new pairing.
func (s *Store) SetRestriction(ctx context.Context, number, reason string, until time.Time) error {
	if until.IsZero() {
		return s.exec(ctx, `DELETE FROM griot_restrictions WHERE number = $1 AND reason = $2`, number, reason)
	}
	return s.exec(ctx, `INSERT INTO griot_restrictions (number, reason, until_ms) VALUES ($1, $2, $3)
		ON CONFLICT (number, reason) DO UPDATE SET until_ms = excluded.until_ms`, number, reason, until.UnixMilli())
}

// Restrictions returns the end times of a number's restrictions, by reason. Some might be in the past.
func (s *Store) Restrictions(ctx context.Context, number string) (until map[string]time.Time, err error) {
	rows, err := s.db.QueryContext(ctx, s.db.Query(`SELECT reason, until_ms FROM griot_restrictions WHERE number = $1`), number)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	until = map[string]time.Time{}
	for rows.Next() {
		var reason string
		var ms int64
		if err := rows.Scan(&reason, &ms); err != nil {
			return nil, err
		}
		until[reason] = fromMillis(ms)
	}
	return until, rows.Err()
}

// Remove deletes a number, its restrictions, the people who have written to it, and their attachments.
func (s *Store) Remove(ctx context.Context, number string) (bool, error) {
	for _, table := range []string{"griot_writers", "griot_questions", "griot_media", "griot_restrictions", "griot_linking"} {
		if err := s.exec(ctx, `DELETE FROM `+table+` WHERE number = $1`, number); err != nil {
			return false, err
		}
	}
	return s.changed(ctx, `DELETE FROM griot_numbers WHERE number = $1`, number)
}

// Numbers returns the paired numbers.
func (s *Store) Numbers(ctx context.Context) (list []Number, err error) {
	rows, err := s.db.QueryContext(ctx, `SELECT number, jid, state, until_ms, paired_ms, EXISTS (SELECT 1 FROM griot_leases l WHERE l.number = n.number AND l.until_ms >= `+s.clock()+`)
		FROM griot_numbers n ORDER BY number`)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var n Number
		var until, paired int64
		if err := rows.Scan(&n.Number, &n.JID, &n.State, &until, &paired, &n.Held); err != nil {
			return nil, err
		}
		n.Until, n.Paired = fromMillis(until), fromMillis(paired)
		list = append(list, n)
	}
	return list, rows.Err()
}

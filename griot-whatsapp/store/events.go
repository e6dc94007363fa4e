package store

import (
	"context"
	"errors"
	"time"
)

// ErrFull reports that the maximum number of events already wait for Griot.
var ErrFull = errors.New("too many events wait for Griot")

// Event is an event that Griot does not have yet.
type Event struct {
	Seq  int64
	Body []byte
}

// Add stores an event. It does nothing if an event with the same ID is stored.
func (s *Store) Add(ctx context.Context, id string, body []byte) error {
	added, err := s.changed(ctx, `INSERT INTO griot_events (id, body, bytes, stored_ms)
		SELECT $1, $2, CAST($3 AS BIGINT), `+s.clock()+` WHERE (SELECT COUNT(*) FROM griot_events) < $4 AND (SELECT COALESCE(SUM(bytes), 0) FROM griot_events) + CAST($3 AS BIGINT) <= $5
		ON CONFLICT (id) DO NOTHING`, id, body, len(body), s.limits.Events, s.limits.Bytes)
	if err != nil {
		return err
	}
	if added {
		select {
		case s.wake <- struct{}{}:
		default:
		}
		return nil
	}
	var known bool
	if err := s.row(ctx, `SELECT EXISTS (SELECT 1 FROM griot_events WHERE id = $1)`, id).Scan(&known); err != nil {
		return err
	}
	if !known {
		return ErrFull
	}
	return nil
}

// Added returns a channel that receives a value after this process has stored an event.
func (s *Store) Added() <-chan struct{} { return s.wake }

// Events returns the oldest events after a sequence number.
func (s *Store) Events(ctx context.Context, after int64, limit int) (list []Event, err error) {
	rows, err := s.db.QueryContext(ctx, s.db.Query(`SELECT seq, body FROM griot_events WHERE seq > $1 ORDER BY seq LIMIT CAST($2 AS BIGINT)`), after, limit)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var e Event
		if err := rows.Scan(&e.Seq, &e.Body); err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	return list, rows.Err()
}

// Done deletes an event that Griot has accepted or permanently refused. The retention period of its attachment starts now.
func (s *Store) Done(ctx context.Context, seq int64) error {
	if err := s.keepMedia(ctx, seq); err != nil {
		return err
	}
	return s.exec(ctx, `DELETE FROM griot_events WHERE seq = $1`, seq)
}

// Waiting returns the number of events that wait for Griot.
func (s *Store) Waiting(ctx context.Context) (n int, err error) {
	err = s.row(ctx, `SELECT COUNT(*) FROM griot_events`).Scan(&n)
	return n, err
}

// Spool is the size of the queue of events that wait for Griot.
type Spool struct {
	Events int
	Bytes  int64
	Age    time.Duration // of the oldest
}

// Spool returns the size of the queue of events that wait for Griot.
func (s *Store) Spool(ctx context.Context) (w Spool, err error) {
	var age int64
	err = s.row(ctx, `SELECT COUNT(*), COALESCE(SUM(bytes), 0), COALESCE(`+s.clock()+` - MIN(stored_ms), 0) FROM griot_events`).Scan(&w.Events, &w.Bytes, &age)
	w.Age = max(time.Duration(age)*time.Millisecond, 0)
	return w, err
}

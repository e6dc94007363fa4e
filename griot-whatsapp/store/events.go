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
	// NeedsIDs is set if an older Griot would refuse the event, because it has only the ID of a person, or misunderstand
	// it, because the same ID can come again with the content.
	NeedsIDs bool
}

// Add stores an event. It does nothing if an event with the same ID is stored.
func (s *Store) Add(ctx context.Context, id string, body []byte) error {
	return s.add(ctx, id, body, 0, 0)
}

// AddForIDs stores an event that an older Griot would refuse ([Event.NeedsIDs]).
func (s *Store) AddForIDs(ctx context.Context, id string, body []byte) error {
	return s.add(ctx, id, body, 1, 0)
}

// AddLater stores an event that an older Griot would misunderstand ([Event.NeedsIDs]). It is sent after a delay, unless
// [Store.Cancel] deletes it.
func (s *Store) AddLater(ctx context.Context, id string, body []byte, delay time.Duration) error {
	return s.add(ctx, id, body, 2, delay)
}

// Cancel deletes an event that Griot doesn't have yet. It does nothing if there is none.
func (s *Store) Cancel(ctx context.Context, id string) error {
	return s.exec(ctx, `DELETE FROM griot_events WHERE id = $1`, id)
}

func (s *Store) add(ctx context.Context, id string, body []byte, needsIDs int, delay time.Duration) error {
	added, err := s.changed(ctx, `INSERT INTO griot_events (id, body, bytes, stored_ms, needs_ids, due_ms)
		SELECT $1, $2, CAST($3 AS BIGINT), `+s.clock()+`, CAST($6 AS BIGINT), `+s.clock()+` + CAST($7 AS BIGINT) WHERE (SELECT COUNT(*) FROM griot_events) < $4 AND (SELECT COALESCE(SUM(bytes), 0) FROM griot_events) + CAST($3 AS BIGINT) <= $5
		ON CONFLICT (id) DO NOTHING`, id, body, len(body), s.limits.Events, s.limits.Bytes, needsIDs, delay.Milliseconds())
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

// Events returns the oldest events after a sequence number whose time has come. If ids is false, it skips those that need it ([Event.NeedsIDs]).
func (s *Store) Events(ctx context.Context, after int64, limit int, ids bool) (list []Event, err error) {
	most := 0
	if ids {
		most = 2
	}
	rows, err := s.db.QueryContext(ctx, s.db.Query(`SELECT seq, body, needs_ids > 0 FROM griot_events WHERE seq > $1 AND needs_ids <= CAST($3 AS BIGINT) AND due_ms <= `+s.clock()+` ORDER BY seq LIMIT CAST($2 AS BIGINT)`), after, limit, most)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var e Event
		if err := rows.Scan(&e.Seq, &e.Body, &e.NeedsIDs); err != nil {
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

// TrimHeld deletes the events that need IDs ([Event.NeedsIDs]) and are older than age, and the oldest of them if they use
// more than half of the space, so that other events always have the other half. It returns the number of deleted events.
func (s *Store) TrimHeld(ctx context.Context, age time.Duration) (deleted int64, err error) {
	result, err := s.db.ExecContext(ctx, s.db.Query(`DELETE FROM griot_events WHERE seq IN (SELECT seq FROM (
		SELECT seq, stored_ms, COUNT(*) OVER (ORDER BY seq DESC) AS newer, SUM(bytes) OVER (ORDER BY seq DESC) AS size FROM griot_events WHERE needs_ids > 0) h
		WHERE stored_ms < `+s.clock()+` - CAST($1 AS BIGINT) OR newer > CAST($2 AS BIGINT) OR size > CAST($3 AS BIGINT))`), age.Milliseconds(), s.limits.Events/2, s.limits.Bytes/2)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// Waiting returns the number of events that wait for Griot.
func (s *Store) Waiting(ctx context.Context) (n int, err error) {
	err = s.row(ctx, `SELECT COUNT(*) FROM griot_events`).Scan(&n)
	return n, err
}

// Spool is the size of the queue of events that wait for Griot.
type Spool struct {
	Events int
	Held   int // of them, those that have only the ID of a person
	Bytes  int64
	Age    time.Duration // of the oldest, since the time when it could be sent
}

// Spool returns the size of the queue of events that wait for Griot.
func (s *Store) Spool(ctx context.Context) (w Spool, err error) {
	var age int64
	err = s.row(ctx, `SELECT COUNT(*), COALESCE(SUM(CASE WHEN needs_ids = 1 THEN 1 ELSE 0 END), 0), COALESCE(SUM(bytes), 0), COALESCE(`+s.clock()+` - MIN(CASE WHEN due_ms > stored_ms THEN due_ms ELSE stored_ms END), 0) FROM griot_events`).Scan(&w.Events, &w.Held, &w.Bytes, &age)
	w.Age = max(time.Duration(age)*time.Millisecond, 0)
	return w, err
}

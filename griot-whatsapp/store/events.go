package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"strconv"
	"strings"
	"time"
)

// ErrFull reports that the maximum number of events already wait for Griot.
var ErrFull = errors.New("too many events wait for Griot")

// Event is an event that Griot does not have yet.
type Event struct {
	Seq          int64
	Conversation string // those of one conversation have the same; empty: none
	Order        int64  // Unix milliseconds; greater than that of each event that its number has stored before; 0: stored by an earlier version
	Body         []byte
	// NeedsIDs is set if an older Griot would refuse the event, because it has only the ID of a person, or misunderstand
	// it, because the same ID can come again with the content.
	NeedsIDs bool
}

// Need is what an event needs of Griot.
type Need int

// The needs of events.
const (
	NeedsNothing   Need = iota
	NeedsIDs            // Griot accepts people whose number is unknown
	NeedsToReplace      // Griot accepts the same ID again, with the content, which every Griot does that has IDs
)

// NewEvent is an event to be stored.
type NewEvent struct {
	ID     string // an event is stored once for each ID
	Number string // the linked number
	Person string // the person's ID or phone number; empty: the event belongs to no conversation
	Body   []byte
	Needs  Need
	Delay  time.Duration // until it is sent
}

// Add stores an event. It does nothing if an event with the same ID is stored.
func (s *Store) Add(ctx context.Context, e NewEvent) error {
	added, err := s.insert(ctx, &e)
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
	if err := s.row(ctx, `SELECT EXISTS (SELECT 1 FROM griot_events WHERE id = $1)`, e.ID).Scan(&known); err != nil {
		return err
	}
	if !known {
		return ErrFull
	}
	return nil
}

// insert inserts an event with the next order of its number. It returns false if there is no space, or an event with
// the same ID.
func (s *Store) insert(ctx context.Context, e *NewEvent) (added bool, err error) {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return false, err
	}
	defer func() { _ = tx.Rollback() }() // after Commit, it does nothing
	var order int64
	err = tx.QueryRowContext(ctx, s.db.Query(`UPDATE griot_numbers SET ordered_ms = CASE WHEN ordered_ms < `+s.clock()+` THEN `+s.clock()+` ELSE ordered_ms + 1 END WHERE number = $1 RETURNING ordered_ms`), e.Number).Scan(&order)
	if err != nil && !errors.Is(err, sql.ErrNoRows) { // without a row, the number was removed
		return false, err
	}
	conversation, err := s.conversation(ctx, tx, e)
	if err != nil {
		return false, err
	}
	result, err := tx.ExecContext(ctx, s.db.Query(`INSERT INTO griot_events (id, body, bytes, stored_ms, needs_ids, due_ms, conversation, ordered_ms)
		SELECT $1, $2, CAST($3 AS BIGINT), `+s.clock()+`, CAST($6 AS BIGINT), `+s.clock()+` + CAST($7 AS BIGINT), $8, CAST($9 AS BIGINT)
		WHERE (SELECT COUNT(*) FROM griot_events) < $4 AND (SELECT COALESCE(SUM(bytes), 0) FROM griot_events) + CAST($3 AS BIGINT) <= $5
		ON CONFLICT (id) DO NOTHING`), e.ID, e.Body, len(e.Body), s.limits.Events, s.limits.Bytes, int(e.Needs), e.Delay.Milliseconds(), conversation, order)
	if err != nil {
		return false, err
	}
	n, err := result.RowsAffected()
	return n == 1, errors.Join(err, tx.Commit())
}

// conversation returns the conversation of an event. It stays the same whether the event shows the person's number, ID, or
// both, once a pair is stored.
func (s *Store) conversation(ctx context.Context, tx *sql.Tx, e *NewEvent) (string, error) {
	if e.Person == "" {
		return "", nil
	}
	var id string
	err := tx.QueryRowContext(ctx, s.db.Query(`SELECT id FROM griot_pairs WHERE phone = $1`), e.Person).Scan(&id)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return "", err
	}
	return e.Number + "/" + cmp.Or(id, e.Person), nil
}

// Cancel deletes an event that Griot doesn't have yet. It does nothing if there is none.
func (s *Store) Cancel(ctx context.Context, id string) error {
	return s.exec(ctx, `DELETE FROM griot_events WHERE id = $1`, id)
}

// Added returns a channel that receives a value after this process has stored an event.
func (s *Store) Added() <-chan struct{} { return s.wake }

// Events returns the oldest events after a sequence number whose time has come. If ids is false, it skips those that need
// it ([Event.NeedsIDs]).
func (s *Store) Events(ctx context.Context, after int64, limit int, ids bool) (list []Event, err error) {
	most := NeedsNothing
	if ids {
		most = NeedsToReplace
	}
	rows, err := s.db.QueryContext(ctx, s.db.Query(`SELECT seq, conversation, ordered_ms, body, needs_ids > 0 FROM griot_events WHERE seq > $1 AND needs_ids <= CAST($3 AS BIGINT) AND due_ms <= `+s.clock()+` ORDER BY seq LIMIT CAST($2 AS BIGINT)`), after, limit, int(most))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var e Event
		if err := rows.Scan(&e.Seq, &e.Conversation, &e.Order, &e.Body, &e.NeedsIDs); err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	return list, rows.Err()
}

// Done deletes events that Griot has accepted. The retention period of their attachments starts now.
func (s *Store) Done(ctx context.Context, seqs ...int64) error {
	if len(seqs) == 0 {
		return nil
	}
	list := make([]string, len(seqs))
	for i, seq := range seqs {
		list[i] = strconv.FormatInt(seq, 10)
	}
	of := ` WHERE seq IN (` + strings.Join(list, ", ") + `)`
	if err := s.keepMedia(ctx, of); err != nil {
		return err
	}
	return s.exec(ctx, `DELETE FROM griot_events`+of)
}

// Park keeps an event that Griot has refused, so that it is sent again after a pause. Until then, it delays no other event.
func (s *Store) Park(ctx context.Context, seq int64, pause time.Duration) error {
	return s.exec(ctx, `UPDATE griot_events SET parked = 1, due_ms = `+s.clock()+` + CAST($2 AS BIGINT) WHERE seq = $1`, seq, pause.Milliseconds())
}

// TrimHeld deletes the events that need IDs ([Event.NeedsIDs]) and are older than age, and the oldest of them if they use
// more than half of the space, so that other events always have the other half. It returns the number of deleted events.
func (s *Store) TrimHeld(ctx context.Context, age time.Duration) (deleted int64, err error) {
	return s.trim(ctx, `needs_ids > 0`, age, 2)
}

// TrimParked deletes the parked events that are older than age, and the oldest of them if they use more than a quarter of
// the space. It returns the number of deleted events.
func (s *Store) TrimParked(ctx context.Context, age time.Duration) (deleted int64, err error) {
	return s.trim(ctx, `parked > 0`, age, 4)
}

func (s *Store) trim(ctx context.Context, which string, age time.Duration, part int) (deleted int64, err error) {
	result, err := s.db.ExecContext(ctx, s.db.Query(`DELETE FROM griot_events WHERE seq IN (SELECT seq FROM (
		SELECT seq, stored_ms, COUNT(*) OVER (ORDER BY seq DESC) AS newer, SUM(bytes) OVER (ORDER BY seq DESC) AS size FROM griot_events WHERE `+which+`) h
		WHERE stored_ms < `+s.clock()+` - CAST($1 AS BIGINT) OR newer > CAST($2 AS BIGINT) OR size > CAST($3 AS BIGINT))`), age.Milliseconds(), s.limits.Events/part, s.limits.Bytes/part)
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
	Parked int // of them, those that Griot has refused
	Bytes  int64
	Age    time.Duration // of the oldest, since the time when it could be sent
}

// Spool returns the size of the queue of events that wait for Griot.
func (s *Store) Spool(ctx context.Context) (w Spool, err error) {
	var age int64
	err = s.row(ctx, `SELECT COUNT(*), COALESCE(SUM(CASE WHEN needs_ids = 1 THEN 1 ELSE 0 END), 0), COALESCE(SUM(parked), 0), COALESCE(SUM(bytes), 0), COALESCE(`+s.clock()+` - MIN(CASE WHEN due_ms > stored_ms THEN due_ms ELSE stored_ms END), 0) FROM griot_events`).Scan(&w.Events, &w.Held, &w.Parked, &w.Bytes, &age)
	w.Age = max(time.Duration(age)*time.Millisecond, 0)
	return w, err
}

package events

import (
	"database/sql"
	"fmt"
	"strings"
	"time"

	"griot/internal/db"
	"griot/internal/id"
)

// Delivery is the state of an event's delivery to the endpoint.
type Delivery string

// The states.
const (
	Pending   Delivery = "pending"
	Delivered Delivery = "delivered"
	Failed    Delivery = "failed"   // after the last attempt; it can be sent again
	NotSent   Delivery = "not_sent" // the account had no endpoint when it happened
)

// Valid reports whether d is one of them.
func (d Delivery) Valid() bool {
	return d == Pending || d == Delivered || d == Failed || d == NotSent
}

// Stored is an event and the state of its delivery.
type Stored struct {
	*Event
	Delivery    Delivery
	Tries       int       // failed attempts of the schedule
	NextTryAt   time.Time // zero: none
	DeliveredAt time.Time
	FailedAt    time.Time
}

// Filter says which of an account's events to list; a zero field selects all.
type Filter struct {
	AccountID string
	Delivery  Delivery
	Before    string // an event's id: only earlier ones
	Limit     int
}

const storedColumns = eventColumns + `, tries, due_at, delivered_at, failed_at`

func scanStored(scan func(...any) error) (*Stored, error) {
	s := &Stored{}
	var due, delivered, failed sql.NullInt64
	var err error
	s.Event, err = scanEvent(scan, &s.Tries, &due, &delivered, &failed)
	s.NextTryAt, s.DeliveredAt, s.FailedAt = db.AtNull(due), db.AtNull(delivered), db.AtNull(failed)
	switch {
	case due.Valid:
		s.Delivery = Pending
	case failed.Valid:
		s.Delivery = Failed
	case delivered.Valid:
		s.Delivery = Delivered
	default:
		s.Delivery = NotSent
	}
	return s, err
}

// maxScan is how many events a page looks at for those that match.
const maxScan = 5000

// listEvents returns an account's events, newest first, and [Filter.Before] of the next page, or "" after the last. It
// looks at the next [maxScan] events for those that match, so that a page may be short, or empty, without being the last.
func listEvents(q *db.Query, f *Filter) (out []*Stored, next string, err error) {
	const walk = ` FROM webhook_events WHERE account_id = $1 AND id < $2`
	args := []any{f.AccountID, f.Before}
	if f.Before == "" {
		args[1] = id.Event + strings.Repeat("Z", id.Length+1) // after every id
	}
	where := map[Delivery]string{
		Pending: ` AND due_at IS NOT NULL`, Failed: ` AND failed_at IS NOT NULL AND due_at IS NULL`,
		Delivered: ` AND delivered_at IS NOT NULL AND failed_at IS NULL AND due_at IS NULL`, NotSent: ` AND delivered_at IS NULL AND failed_at IS NULL AND due_at IS NULL`,
	}[f.Delivery]
	if where != "" {
		err := q.Page(1, func(rows *sql.Rows) error { return rows.Scan(&next) },
			`SELECT id FROM (SELECT id`+walk+fmt.Sprint(` ORDER BY id DESC LIMIT 1 OFFSET `, maxScan-1)+`) AS walked`, args...)
		if err != nil {
			return nil, "", err
		}
	}
	if next != "" {
		where, args = where+` AND id >= $3`, append(args, next)
	}
	err = q.Page(f.Limit+1, func(rows *sql.Rows) error { // one more shows whether there is another page
		s, err := scanStored(rows.Scan)
		out = append(out, s)
		return err
	}, `SELECT `+storedColumns+walk+where+` ORDER BY id DESC`, args...)
	if len(out) > f.Limit {
		out = out[:f.Limit]
		next = out[f.Limit-1].ID
	}
	return out, next, err
}

// findEvent returns one of an account's events, or nil.
func findEvent(q *db.Query, account, eventID string) (s *Stored, err error) {
	found := false
	s, err = scanStored(func(dest ...any) (err error) {
		found, err = q.Row(`SELECT `+storedColumns+` FROM webhook_events WHERE account_id = $1 AND id = $2`, account, eventID).Scan(dest...)
		return err
	})
	if err != nil || !found {
		return nil, err
	}
	return s, nil
}

// Attempt is one attempt to deliver an event.
type Attempt struct {
	Number  int64 // grows
	At      time.Time
	Status  int // 0: no answer
	Latency time.Duration
	Answer  string // the first KiB
	Error   string // a [webhook.Class]; empty: delivered
}

const maxAttempts = 100 // that are listed

// listAttempts returns an event's attempts, the latest first.
func listAttempts(q *db.Query, account, eventID string) (out []*Attempt, err error) {
	err = q.Page(maxAttempts, func(rows *sql.Rows) error {
		a := &Attempt{}
		var at, latency int64
		var status sql.NullInt64
		var class sql.NullString
		err := rows.Scan(&a.Number, &at, &status, &latency, &a.Answer, &class)
		a.At, a.Latency, a.Status, a.Error = db.At(at), time.Duration(latency)*time.Millisecond, int(status.Int64), class.String
		out = append(out, a)
		return err
	}, `SELECT attempt, at, status, latency, answer, error FROM webhook_attempts WHERE account_id = $1 AND event_id = $2 ORDER BY attempt DESC`, account, eventID)
	return out, err
}

// streamPage returns the next [streamPageSize] events that were stored for an account's listeners, by time and id.
func streamPage(q *db.Query, account string, since time.Time, afterID string) (out []*Event, err error) {
	err = q.Each(func(rows *sql.Rows) error {
		var stored int64
		e, err := scanEvent(rows.Scan, &stored)
		e.Stored = db.At(stored)
		out = append(out, e)
		return err
	}, `SELECT `+eventColumns+`, heard_at FROM webhook_events WHERE account_id = $1 AND heard_at IS NOT NULL AND (heard_at, id) > ($2, $3) ORDER BY heard_at, id`+fmt.Sprint(` LIMIT `, streamPageSize),
		account, db.Ms(since), afterID)
	return out, err
}

// streamedAt returns when an event was stored for an account's listeners, or the zero time.
func streamedAt(q *db.Query, account, eventID string) (time.Time, error) {
	var at sql.NullInt64
	_, err := q.Row(`SELECT heard_at FROM webhook_events WHERE account_id = $1 AND id = $2`, account, eventID).Scan(&at)
	return db.AtNull(at), err
}

package webhook

import (
	"database/sql"
	"fmt"
	"strings"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
)

const storedColumns = `id, type, body, created_at, tries, due_at, delivered_at, failed_at`

func scanStored(scan func(...any) error) (*Stored, error) {
	s := &Stored{}
	var at int64
	var due, delivered, failed sql.NullInt64
	err := scan(&s.ID, &s.Type, &s.Body, &at, &s.Tries, &due, &delivered, &failed)
	s.At, s.NextTryAt, s.DeliveredAt, s.FailedAt = db.At(at), db.AtNull(due), db.AtNull(delivered), db.AtNull(failed)
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

// maxScan is the maximum number of events that are searched for one page.
const maxScan = 5000

// list returns an owner's events, newest first, and [Filter.Before] of the next page, or "" after the last. It searches
// the next [maxScan] events for matches, so a page can be short or empty without being the last.
func (q *Queue) list(r *db.Query, f *Filter) (out []*Stored, next string, err error) {
	const walk = ` FROM {events} WHERE {owner} = $1 AND id < $2`
	args := []any{f.OwnerID, f.Before}
	if f.Before == "" {
		args[1] = id.Event + strings.Repeat("Z", id.Length+1) // sorts after every id
	}
	where := map[Delivery]string{
		Pending: ` AND due_at IS NOT NULL`, Failed: ` AND failed_at IS NOT NULL AND due_at IS NULL`,
		Delivered: ` AND delivered_at IS NOT NULL AND failed_at IS NULL AND due_at IS NULL`, NotSent: ` AND delivered_at IS NULL AND failed_at IS NULL AND due_at IS NULL`,
	}[f.Delivery]
	if where != "" {
		err := r.Page(1, func(rows *sql.Rows) error { return rows.Scan(&next) },
			q.sql(`SELECT id FROM (SELECT id`+walk+fmt.Sprint(` ORDER BY id DESC LIMIT 1 OFFSET `, maxScan-1)+`) AS walked`), args...)
		if err != nil {
			return nil, "", err
		}
	}
	if next != "" {
		where, args = where+` AND id >= $3`, append(args, next)
	}
	err = r.Page(f.Limit+1, func(rows *sql.Rows) error { // one more, to detect another page
		s, err := scanStored(rows.Scan)
		out = append(out, s)
		return err
	}, q.sql(`SELECT `+storedColumns+walk+where+` ORDER BY id DESC`), args...)
	if len(out) > f.Limit {
		out = out[:f.Limit]
		next = out[f.Limit-1].ID
	}
	return out, next, err
}

// find returns one of an owner's events, or nil.
func (q *Queue) find(r *db.Query, owner, eventID string) (s *Stored, err error) {
	found := false
	s, err = scanStored(func(dest ...any) (err error) {
		found, err = r.Row(q.sql(`SELECT `+storedColumns+` FROM {events} WHERE {owner} = $1 AND id = $2`), owner, eventID).Scan(dest...)
		return err
	})
	if err != nil || !found {
		return nil, err
	}
	return s, nil
}

const maxAttempts = 100 // in the list

// attempts returns an event's attempts, latest first: those of the log, and the one in the event's own row.
func (q *Queue) attempts(r *db.Query, owner, eventID string) (out []*Attempt, err error) {
	err = r.Page(maxAttempts, func(rows *sql.Rows) error {
		a, err := scanAttempt(rows.Scan)
		out = append(out, a)
		return err
	}, q.sql(`SELECT version, at, status, latency, answer, error FROM {attempts} WHERE {owner} = $1 AND event_id = $2 ORDER BY version DESC`), owner, eventID)
	if err != nil || len(out) >= maxAttempts || len(out) > 0 && out[len(out)-1].Version == FirstClaim {
		return out, err
	}
	var first *Attempt
	found := false
	first, err = scanAttempt(func(dest ...any) (err error) {
		found, err = r.Row(q.sql(`SELECT version, first_at, first_status, first_latency, first_answer, first_error FROM {events} WHERE {owner} = $1 AND id = $2 AND first_at IS NOT NULL`), owner, eventID).
			Scan(dest...)
		return err
	})
	if found {
		first.Version = FirstClaim
		out = append(out, first)
	}
	return out, err
}

func scanAttempt(scan func(...any) error) (*Attempt, error) {
	a := &Attempt{}
	var at, latency int64
	var status sql.NullInt64
	var class sql.NullString
	err := scan(&a.Version, &at, &status, &latency, &a.Answer, &class)
	a.At, a.Latency, a.Status, a.Error = db.At(at), time.Duration(latency)*time.Millisecond, int(status.Int64), class.String
	return a, err
}

package audit

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
)

// Record stores an event in the transaction of the change that it describes.
func Record(tx *db.Tx, e *Event) error {
	details := ""
	if len(e.Details) > 0 {
		b, err := json.Marshal(e.Details)
		if err != nil {
			return err
		}
		details = string(b)
	}
	_, err := tx.Exec(`INSERT INTO account_audit_events (id, account_id, at, actor, actor_id, actor_email, action, target, details, ip) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		e.ID, e.AccountID, db.Ms(e.At), string(e.Actor.Type), db.Null(e.Actor.ID), db.Null(e.Actor.Email), e.Action, e.Target, db.Null(details), db.Null(e.Network))
	return err
}

// CountSince counts the deployment's own events of an action since a time.
func CountSince(q *db.Query, action string, since time.Time) (n int64, err error) {
	_, err = q.Row(`SELECT COUNT(*) FROM account_audit_events WHERE account_id = '' AND id >= $1 AND action = $2`, id.First(since), action).Scan(&n)
	return n, err
}

// A Filter selects events. A zero field does not filter.
type Filter struct {
	AccountID string
	Everybody bool   // events of all accounts and of the deployment
	Action    string // an action or, with a dot at the end, a prefix of actions
	Actor     string // an email address or an [actor.Type]
	Since     time.Time
	Until     time.Time // before this time
	Before    string    // the last ID of the previous page
	Limit     int
}

// maxScan is the maximum number of events that are examined for a page.
const maxScan = 5000

const columns = `id, account_id, at, actor, actor_id, actor_email, action, target, details, ip`

// List returns events, newest first. next is the start of the next page, or "" after the last. It examines the next
// [maxScan] events, so a page can be short or empty although more pages follow.
func List(q *db.Query, f *Filter) (out []*Event, next string, err error) {
	walk, args := ` FROM account_audit_events WHERE id < $1`, []any{f.Before}
	if f.Before == "" {
		args[0] = strings.Repeat("Z", id.Length+1) // after every id
	}
	and := func(condition string, value any) string {
		args = append(args, value)
		return fmt.Sprintf(" AND %s$%d", condition, len(args))
	}
	if !f.Everybody {
		walk += and("account_id = ", f.AccountID)
	}
	if !f.Since.IsZero() {
		walk += and("id >= ", id.First(f.Since))
	}
	if !f.Until.IsZero() {
		walk += and("id < ", id.First(f.Until))
	}
	where := ""
	if f.Action != "" || f.Actor != "" {
		err := q.Page(1, func(rows *sql.Rows) error { return rows.Scan(&next) },
			`SELECT id FROM (SELECT id`+walk+fmt.Sprint(` ORDER BY id DESC LIMIT 1 OFFSET `, maxScan-1)+`) AS walked`, args...)
		if err != nil {
			return nil, "", err
		}
		if next != "" {
			where = and("id >= ", next)
		}
		switch {
		case f.Action == "":
		case strings.HasSuffix(f.Action, "."):
			where += and(fmt.Sprintf("substr(action, 1, %d) = ", len(f.Action)), f.Action)
		default:
			where += and("action = ", f.Action)
		}
		switch {
		case f.Actor == "":
		case strings.Contains(f.Actor, "@"):
			where += and("actor_email = ", f.Actor)
		default:
			where += and("actor = ", f.Actor)
		}
	}
	err = q.Page(f.Limit+1, func(rows *sql.Rows) error { // one more than the limit shows whether there is another page
		e, err := scan(rows)
		out = append(out, e)
		return err
	}, `SELECT `+columns+walk+where+` ORDER BY id DESC`, args...)
	if len(out) > f.Limit {
		out = out[:f.Limit]
		next = out[f.Limit-1].ID
	}
	return out, next, err
}

func scan(rows *sql.Rows) (*Event, error) {
	e, at := &Event{}, int64(0)
	var actorID, email, details, network sql.NullString
	if err := rows.Scan(&e.ID, &e.AccountID, &at, &e.Actor.Type, &actorID, &email, &e.Action, &e.Target, &details, &network); err != nil {
		return nil, err
	}
	e.At, e.Actor.ID, e.Actor.Email, e.Network = db.At(at), actorID.String, email.String, network.String
	if !details.Valid {
		return e, nil
	}
	return e, json.Unmarshal([]byte(details.String), &e.Details)
}

const sweepSize = 500 // events per transaction

func deleteBefore(tx *db.Tx, at time.Time) (deleted int64, err error) {
	return tx.Exec(`WITH locked AS (SELECT id FROM account_audit_events WHERE id < $1 ORDER BY id LIMIT CAST($2 AS BIGINT) /*lock*/)
 DELETE FROM account_audit_events WHERE id IN (SELECT id FROM locked)`, id.First(at), sweepSize)
}

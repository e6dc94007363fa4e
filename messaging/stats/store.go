package stats

import (
	"database/sql"
	"encoding/json"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/messaging/message"
)

// A sample contains the examined fields of one message.
type sample struct {
	status             message.Status
	requested, channel gateway.Channel
	failure            *message.Failure
	timeline           message.Timeline
	created, due       time.Time // due: the scheduled time, or created if there is none
	sent, delivered    time.Time
}

// newest reads the account's newest messages, or its newest simulated ones, newest first.
func newest(q *db.Query, accountID string, n int, simulated bool) (list []sample, err error) {
	which := ""
	if simulated {
		which = ` AND status = 'SANDBOX'` // the same as in the index's own condition
	}
	err = q.Page(n, func(rows *sql.Rows) error {
		var s sample
		var failure sql.NullString
		var created int64
		var scheduled, sent, delivered sql.NullInt64
		if err := rows.Scan(&s.status, &s.requested, &s.channel, &failure, &s.timeline, &created, &scheduled, &sent, &delivered); err != nil {
			return err
		}
		if failure.Valid {
			if err := json.Unmarshal([]byte(failure.String), &s.failure); err != nil {
				return err
			}
		}
		s.created, s.due, s.sent, s.delivered = db.At(created), db.At(created), db.AtNull(sent), db.AtNull(delivered)
		if at := db.AtNull(scheduled); at.After(s.due) {
			s.due = at
		}
		list = append(list, s)
		return nil
	}, `SELECT status, requested_channel, channel, failure, timeline, created_at, scheduled_at, sent_at, delivered_at
 FROM messages WHERE account_id = $1`+which+` ORDER BY created_at DESC, id DESC`, accountID)
	return list, err
}

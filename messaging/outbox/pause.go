package outbox

import (
	"context"
	"database/sql"
	"time"

	"example.com/griot/internal/db"
)

// PauseReason is why a deployment sends nothing.
type PauseReason string

// The reasons.
const (
	PausedByOperator PauseReason = "operator" // somebody wants it so
	PausedByRestore  PauseReason = "restored" // the database is from a backup
)

// SendingPause is the pause of a whole deployment: messages are accepted and wait, and no process sends any.
type SendingPause struct {
	At           time.Time
	Reason       PauseReason
	RestoredFrom time.Time // of a restored database: until when it knows what happened; zero: of no other
	EndBefore    time.Time // of a restored database: messages that were due until then are still to be ended; zero: all have
}

const pauseRow = 1

// FindSendingPause returns the pause, or nil while the deployment sends.
func FindSendingPause(q *db.Query) (*SendingPause, error) {
	var at int64
	var reason string
	var from, end sql.NullInt64
	found, err := q.Row(`SELECT paused_at, reason, restored_from, end_before FROM sending_pause WHERE id = $1`, pauseRow).Scan(&at, &reason, &from, &end)
	if err != nil || !found {
		return nil, err
	}
	return &SendingPause{db.At(at), PauseReason(reason), db.AtNull(from), db.AtNull(end)}, nil
}

// PauseSending pauses the deployment. It returns false where it is paused already, which stays as it is.
func PauseSending(tx *db.Tx, p *SendingPause) (paused bool, err error) {
	n, err := tx.Exec(`INSERT INTO sending_pause (id, paused_at, reason, restored_from, end_before) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (id) DO NOTHING`,
		pauseRow, db.Ms(p.At), string(p.Reason), db.NullMs(p.RestoredFrom), db.NullMs(p.EndBefore))
	return n == 1, err
}

// PauseRestored pauses the deployment of a restored database, in the place of any other pause.
func PauseRestored(tx *db.Tx, p *SendingPause) error {
	if _, err := tx.Exec(`DELETE FROM sending_pause`); err != nil {
		return err
	}
	_, err := PauseSending(tx, p)
	return err
}

// ResumeSending ends the pause. It returns false where there is none, or messages of a restored database are still to be ended.
func ResumeSending(tx *db.Tx) (resumed bool, err error) {
	n, err := tx.Exec(`DELETE FROM sending_pause WHERE id = $1 AND end_before IS NULL`, pauseRow)
	return n == 1, err
}

// SendingPause is [FindSendingPause] of what was committed.
func (s *Store) SendingPause(ctx context.Context) (*SendingPause, error) {
	return FindSendingPause(s.db.Read(ctx))
}

// EndedBefore stores that all messages have ended that were to be.
func (s *Store) EndedBefore(ctx context.Context, before time.Time) error {
	return s.db.Write(ctx, func(tx *db.Tx) error {
		_, err := tx.Exec(`UPDATE sending_pause SET end_before = NULL WHERE id = $1 AND end_before = $2`, pauseRow, db.Ms(before))
		return err
	})
}

// InDoubt lists up to n messages that the process before the restore may have sent since the backup: they were due, were
// being handed over, or were to take another route. after is the last one of the list before.
func (s *Store) InDoubt(ctx context.Context, before time.Time, after string, n int) (ids []string, err error) {
	err = s.db.Read(ctx).Each(func(rows *sql.Rows) error {
		var id string
		err := rows.Scan(&id)
		ids = append(ids, id)
		return err
	}, `SELECT id FROM (SELECT id FROM messages WHERE due_at IS NOT NULL AND created_at <= $1 AND (due_at <= $1 OR status IN ('SENDING', 'SENT'))
 UNION ALL SELECT id FROM messages WHERE status = 'QUEUED' AND due_at IS NULL AND created_at <= $1) AS d WHERE id > $2 ORDER BY id LIMIT CAST($3 AS BIGINT)`, db.Ms(before), after, n)
	return ids, err
}

// LastKnown returns when the latest thing happened that the database knows: a message accepted, or a change recorded.
func LastKnown(q *db.Query) (time.Time, error) {
	var at int64
	_, err := q.Row(`SELECT CAST(max(at) AS BIGINT) FROM (SELECT created_at AS at FROM messages WHERE id = (SELECT max(id) FROM messages WHERE id < 'n')
 UNION ALL SELECT at FROM account_audit_events WHERE id = (SELECT max(id) FROM account_audit_events)
 UNION ALL SELECT at FROM audit_events WHERE id = (SELECT max(id) FROM audit_events) UNION ALL SELECT max(at) FROM inbox_messages UNION ALL SELECT 0) AS latest`).Scan(&at)
	return db.At(at), err
}

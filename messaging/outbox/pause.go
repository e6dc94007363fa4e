package outbox

import (
	"context"
	"database/sql"
	"time"

	"example.com/griot/internal/db"
)

// A PauseReason is the reason why a deployment is paused.
type PauseReason string

// The reasons.
const (
	PausedByOperator PauseReason = "operator" // an operator has paused it
	PausedByRestore  PauseReason = "restored" // the database is from a backup
)

// A SendingPause is the pause of a whole deployment. Messages are accepted and wait, and no process sends any.
type SendingPause struct {
	At           time.Time
	Reason       PauseReason
	RestoredFrom time.Time // for a restored database: the time of its backup; zero: not restored
	EndBefore    time.Time // for a restored database: messages that were due before this time still have to be ended; zero: all have ended
}

const pauseRow = 1

// FindSendingPause returns the pause, or nil if the deployment is not paused.
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

// PauseSending pauses the deployment. If it is already paused, PauseSending changes nothing and returns false.
func PauseSending(tx *db.Tx, p *SendingPause) (paused bool, err error) {
	n, err := tx.Exec(`INSERT INTO sending_pause (id, paused_at, reason, restored_from, end_before) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (id) DO NOTHING`,
		pauseRow, db.Ms(p.At), string(p.Reason), db.NullMs(p.RestoredFrom), db.NullMs(p.EndBefore))
	return n == 1, err
}

// PauseRestored pauses the deployment of a restored database. It replaces any other pause.
func PauseRestored(tx *db.Tx, p *SendingPause) error {
	if _, err := tx.Exec(`DELETE FROM sending_pause`); err != nil {
		return err
	}
	_, err := PauseSending(tx, p)
	return err
}

// ResumeSending ends the pause. It returns false if there is none, or if messages of a restored database still have to be ended.
func ResumeSending(tx *db.Tx) (resumed bool, err error) {
	n, err := tx.Exec(`DELETE FROM sending_pause WHERE id = $1 AND end_before IS NULL`, pauseRow)
	return n == 1, err
}

// SendingPause calls [FindSendingPause] for the committed state.
func (s *Store) SendingPause(ctx context.Context) (*SendingPause, error) {
	return FindSendingPause(s.db.Read(ctx))
}

// EndedBefore records that all messages of a restored database that had to be ended have ended.
func (s *Store) EndedBefore(ctx context.Context, before time.Time) error {
	return s.db.Write(ctx, func(tx *db.Tx) error {
		_, err := tx.Exec(`UPDATE sending_pause SET end_before = NULL WHERE id = $1 AND end_before = $2`, pauseRow, db.Ms(before))
		return err
	})
}

// InDoubt lists up to n messages that the process before the restore might have sent since the backup, because they
// were due, were being submitted, or were about to take another route. after is the last message of the previous
// list.
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

// LastKnown returns the time of the latest event in the database: an accepted message or a recorded change.
func LastKnown(q *db.Query) (time.Time, error) {
	var at int64
	_, err := q.Row(`SELECT CAST(max(at) AS BIGINT) FROM (SELECT created_at AS at FROM messages WHERE id = (SELECT max(id) FROM messages WHERE id < 'n')
 UNION ALL SELECT at FROM account_audit_events WHERE id = (SELECT max(id) FROM account_audit_events)
 UNION ALL SELECT at FROM audit_events WHERE id = (SELECT max(id) FROM audit_events) UNION ALL SELECT max(at) FROM inbox_messages UNION ALL SELECT 0) AS latest`).Scan(&at)
	return db.At(at), err
}

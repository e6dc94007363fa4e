package message

import (
	"context"

	"griot/internal/db"
)

// The two writes that every message needs, each as one statement that PostgreSQL
// runs among those of others ([db.Lane]). They do the plain case: whatever is
// special goes through a transaction's closure.

const acceptAlone = `WITH q AS (INSERT INTO quotas (account_id, day, used) SELECT CAST($3 AS TEXT), CAST($20 AS BIGINT), 1
 WHERE NOT EXISTS (SELECT 1 FROM idempotency_keys WHERE account_id = $3 AND key = $27)
 AND NOT EXISTS (SELECT 1 FROM conversations WHERE account_id = $3 AND phone = $29)
 ON CONFLICT (account_id, day) DO UPDATE SET used = quotas.used + 1 WHERE CAST($30 AS BIGINT) = 0 OR quotas.used < $30 RETURNING used),
 k AS (INSERT INTO idempotency_keys (account_id, key, message_id, fingerprint) SELECT CAST($3 AS TEXT), CAST($27 AS TEXT), CAST($1 AS TEXT), CAST($28 AS TEXT) FROM q WHERE $27 IS NOT NULL),
 m AS (INSERT INTO messages (` + insertColumns + `) SELECT CAST($1 AS TEXT), CAST($2 AS TEXT), CAST($3 AS TEXT), CAST($4 AS TEXT), CAST($5 AS TEXT), CAST($6 AS TEXT), CAST($7 AS TEXT), CAST($8 AS TEXT),
 CAST($9 AS TEXT), CAST($10 AS TEXT), CAST($11 AS TEXT), CAST($12 AS TEXT), CAST($13 AS BIGINT), CAST($14 AS TEXT), CAST($15 AS TEXT), CAST($16 AS BIGINT), CAST($17 AS BIGINT), CAST($18 AS BIGINT),
 CAST($19 AS TEXT), CAST($20 AS BIGINT), CAST($21 AS BIGINT), CAST($22 AS BIGINT), CAST($23 AS BIGINT), CAST($24 AS TEXT), CAST($25 AS TEXT), CAST($26 AS TEXT) FROM q)
 SELECT used FROM q`

// Acceptance is what a message is accepted with, beside its row.
type Acceptance struct {
	Key, Fingerprint string // empty for none
	Conversation     string // the number with which the account must have no conversation; empty: it may
	Limit            int64  // of the day; 0: none
}

// AcceptAlone stores a new message with its key and its unit of the quota, and
// returns how many the day has now. ok is false, and nothing is stored, when the
// key is taken, the quota is used up, or there is a conversation.
//
// Errors: those of [db.Lane.Row]; a key that another process takes at the same
// time is [db.ErrUndone].
func AcceptAlone(ctx context.Context, l *db.Lane, m *Message, a Acceptance) (used int64, ok bool, err error) {
	return l.Row(ctx, m.AccountID, acceptAlone, append(insertArgs(m), db.Null(a.Key), a.Fingerprint, db.Null(a.Conversation), a.Limit)...)
}

// FinishAlone is [Finish], where nothing is written beside it.
func FinishAlone(ctx context.Context, l *db.Lane, m *Message, o *Outcome) (bool, error) {
	text, args := finish(m, o)
	_, ok, err := l.Row(ctx, m.ID, text+` RETURNING 1`, args...)
	return ok, err
}

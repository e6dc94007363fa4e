package quota

import (
	"database/sql"

	"example.com/griot/internal/db"
)

// CountSender counts one message of a sender in a warm-up. If limit, which is at least 1, is reached, it counts
// nothing and ok is false. It is a single conditional statement, so that concurrent calls never exceed the limit.
func CountSender(tx *db.Tx, senderID string, day, limit int64) (ok bool, err error) {
	var used int64
	return tx.Row(`INSERT INTO sender_counts (sender_id, day, used) VALUES ($1, $2, 1)
 ON CONFLICT (sender_id, day) DO UPDATE SET used = sender_counts.used + 1 WHERE sender_counts.used < $3 RETURNING used`, senderID, day, limit).Scan(&used)
}

// RefundSender subtracts one message that [CountSender] has counted.
func RefundSender(tx *db.Tx, senderID string, day int64) error {
	_, err := tx.Exec(`UPDATE sender_counts SET used = used - 1 WHERE sender_id = $1 AND day = $2 AND used > 0`, senderID, day)
	return err
}

// SendersUsed returns a day's counts of senders in a warm-up: those of an account and of the platform.
func SendersUsed(q *db.Query, accountID string, day int64) (map[string]int64, error) {
	used := map[string]int64{}
	err := q.Each(func(rows *sql.Rows) error {
		id, n := "", int64(0)
		err := rows.Scan(&id, &n)
		used[id] = n
		return err
	}, `SELECT c.sender_id, c.used FROM senders s JOIN sender_counts c ON c.sender_id = s.id AND c.day = $1 WHERE s.account_id = $2 OR s.account_id IS NULL`, day, accountID)
	return used, err
}

// DeleteSenderCounts deletes up to n senders' counts of the days before day, and returns the number of deleted ones.
func DeleteSenderCounts(tx *db.Tx, day int64, n int) (int64, error) {
	return tx.Exec(`DELETE FROM sender_counts WHERE (sender_id, day) IN (SELECT sender_id, day FROM sender_counts WHERE day < $1 LIMIT CAST($2 AS BIGINT))`, day, n)
}

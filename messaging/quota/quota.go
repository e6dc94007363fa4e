package quota

import (
	"time"

	"griot/internal/db"
)

const day = 24 * time.Hour

// Day is the UTC day of a time, counted from 1970-01-01.
func Day(now time.Time) int64 { return now.Unix() / int64(day/time.Second) }

// Left is how long the day of now still lasts.
func Left(now time.Time) time.Duration { return now.UTC().Truncate(day).Add(day).Sub(now) }

// Take counts one message and returns how many the day has now; ok is false, and
// nothing is counted, when limit was reached. A limit of 0 is none.
func Take(tx *db.Tx, accountID string, day, limit int64) (used int64, ok bool, err error) {
	if limit == 0 {
		ok, err = tx.Row(`INSERT INTO quotas (account_id, day, used) VALUES ($1, $2, 1)
 ON CONFLICT (account_id, day) DO UPDATE SET used = quotas.used + 1 RETURNING used`, accountID, day).Scan(&used)
		return used, ok, err
	}
	ok, err = tx.Row(`INSERT INTO quotas (account_id, day, used) VALUES ($1, $2, 1)
 ON CONFLICT (account_id, day) DO UPDATE SET used = quotas.used + 1 WHERE quotas.used < $3 RETURNING used`, accountID, day, limit).Scan(&used)
	return used, ok, err
}

// GiveBack returns what [Take] took.
func GiveBack(tx *db.Tx, accountID string, day int64) error {
	_, err := tx.Exec(`UPDATE quotas SET used = used - 1 WHERE account_id = $1 AND day = $2 AND used > 0`, accountID, day)
	return err
}

// Used returns how many messages a day has.
func Used(q *db.Query, accountID string, day int64) (used int64, err error) {
	_, err = q.Row(`SELECT used FROM quotas WHERE account_id = $1 AND day = $2`, accountID, day).Scan(&used)
	return used, err
}

// TakeRecipient counts one message to a recipient, as [Take] does.
func TakeRecipient(tx *db.Tx, accountID, recipient string, day, limit int64) (ok bool, err error) {
	var used int64
	return tx.Row(`INSERT INTO recipient_counts (account_id, recipient, day, used) VALUES ($1, $2, $3, 1)
 ON CONFLICT (account_id, recipient, day) DO UPDATE SET used = recipient_counts.used + 1 WHERE recipient_counts.used < $4 RETURNING used`,
		accountID, recipient, day, limit).Scan(&used)
}

// GiveBackRecipient returns what [TakeRecipient] took.
func GiveBackRecipient(tx *db.Tx, accountID, recipient string, day int64) error {
	_, err := tx.Exec(`UPDATE recipient_counts SET used = used - 1 WHERE account_id = $1 AND recipient = $2 AND day = $3 AND used > 0`, accountID, recipient, day)
	return err
}

// ForgetRecipients removes up to n recipients' counts of the days before day, and returns how many it removed.
func ForgetRecipients(tx *db.Tx, day int64, n int) (int64, error) {
	return tx.Exec(`DELETE FROM recipient_counts WHERE (account_id, recipient, day) IN (SELECT account_id, recipient, day FROM recipient_counts WHERE day < $1 LIMIT $2)`, day, n)
}

package quota

import (
	"time"

	"griot/internal/db"
)

const day = 24 * time.Hour

// Day is the UTC day of a time, counted from 1970-01-01.
func Day(now time.Time) int64 { return now.Unix() / int64(day/time.Second) }

// Begins is when a [Day] begins.
func Begins(day int64) time.Time { return time.Unix(day*int64(24*time.Hour/time.Second), 0).UTC() }

// Left is how long the day of now still lasts.
func Left(now time.Time) time.Duration { return now.UTC().Truncate(day).Add(day).Sub(now) }

// GiveBack takes one message from what an account's day has.
func GiveBack(tx *db.Tx, accountID string, day int64) error {
	_, err := tx.Exec(`UPDATE quotas SET used = used - 1 WHERE account_id = $1 AND day = $2 AND used > 0`, accountID, day)
	return err
}

// Used returns how many messages a day has.
func Used(q *db.Query, accountID string, day int64) (used int64, err error) {
	_, err = q.Row(`SELECT used FROM quotas WHERE account_id = $1 AND day = $2`, accountID, day).Scan(&used)
	return used, err
}

// GiveBackRecipient takes one message from what a recipient's day has.
func GiveBackRecipient(tx *db.Tx, accountID, recipient string, day int64) error {
	_, err := tx.Exec(`UPDATE recipient_counts SET used = used - 1 WHERE account_id = $1 AND recipient = $2 AND day = $3 AND used > 0`, accountID, recipient, day)
	return err
}

// ForgetRecipients removes up to n recipients' counts of the days before day, and returns how many it removed.
func ForgetRecipients(tx *db.Tx, day int64, n int) (int64, error) {
	return tx.Exec(`DELETE FROM recipient_counts WHERE (account_id, recipient, day) IN (SELECT account_id, recipient, day FROM recipient_counts WHERE day < $1 LIMIT $2)`, day, n)
}

package quota

import (
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/messaging/person"
)

const day = 24 * time.Hour

// Day returns the UTC day of a time, counted from 1970-01-01.
func Day(now time.Time) int64 { return now.Unix() / int64(day/time.Second) }

// DayStart returns the start of a [Day].
func DayStart(day int64) time.Time { return time.Unix(day*int64(24*time.Hour/time.Second), 0).UTC() }

// UntilNextDay returns the remaining time of the day of now.
func UntilNextDay(now time.Time) time.Duration { return now.UTC().Truncate(day).Add(day).Sub(now) }

// Refund subtracts one message from the count of an account's day.
func Refund(tx *db.Tx, accountID string, day int64) error {
	_, err := tx.Exec(`UPDATE quotas SET used = used - 1 WHERE account_id = $1 AND day = $2 AND used > 0`, accountID, day)
	return err
}

// Used returns the number of messages that an account has used on a day.
func Used(q *db.Query, accountID string, day int64) (used int64, err error) {
	_, err = q.Row(`SELECT used FROM quotas WHERE account_id = $1 AND day = $2`, accountID, day).Scan(&used)
	return used, err
}

// RefundRecipient subtracts one message from the count of a recipient's day.
func RefundRecipient(tx *db.Tx, accountID, recipient string, day int64) error {
	who, err := person.Find(&tx.Query, accountID, recipient)
	if err != nil {
		return err
	}
	_, err = tx.Exec(`UPDATE recipient_counts SET used = used - 1 WHERE account_id = $1 AND recipient = $2 AND day = $3 AND used > 0`, accountID, who, day)
	return err
}

// DeleteRecipientCounts deletes up to n recipients' counts of the days before day, and returns the number of deleted ones.
func DeleteRecipientCounts(tx *db.Tx, day int64, n int) (int64, error) {
	return tx.Exec(`DELETE FROM recipient_counts WHERE (account_id, recipient, day) IN (SELECT account_id, recipient, day FROM recipient_counts WHERE day < $1 LIMIT CAST($2 AS BIGINT))`, day, n)
}

// EraseRecipient deletes the counts of one recipient.
func EraseRecipient(tx *db.Tx, p *person.Person) error {
	for _, form := range p.Forms {
		if _, err := tx.Exec(`DELETE FROM recipient_counts WHERE account_id = $1 AND recipient = $2`, p.AccountID, form); err != nil {
			return err
		}
	}
	return nil
}

package otp

import (
	"database/sql"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/messaging/person"
)

// Sent contains the stored data of a sent code, without the code.
type Sent struct {
	ChallengeID, MessageID string
	Simulated              bool
	Attempts               int64 // number of guesses
	CreatedAt, ExpiresAt   time.Time
	VerifiedAt             time.Time // zero: not verified
}

const maxSent = 1000 // maximum number of codes to one person that are read; three are issued per ten minutes, and each is kept for one day

// SentTo returns the codes that an account has sent to a person, latest first.
func SentTo(q *db.Query, p *person.Person) (out []Sent, err error) {
	err = q.Page(maxSent, func(rows *sql.Rows) error {
		var s Sent
		var created, expires int64
		var used sql.NullInt64
		err := rows.Scan(&s.ChallengeID, &s.MessageID, &s.Simulated, &s.Attempts, &created, &expires, &used)
		s.CreatedAt, s.ExpiresAt, s.VerifiedAt = db.At(created), db.At(expires), db.AtNull(used)
		out = append(out, s)
		return err
	}, `SELECT id, message_id, sandbox, attempts, created_at, expires_at, used_at FROM otp_challenges WHERE account_id = $1 AND address = $2 ORDER BY turn DESC`, p.AccountID, p.Forms[0])
	return out, err
}

// ErasePerson replaces a person's number in the codes that were sent to it. The codes still count toward the prefix.
func ErasePerson(tx *db.Tx, p *person.Person) error {
	for _, form := range p.Forms {
		if _, err := tx.Exec(`UPDATE otp_challenges SET address = $1 WHERE account_id = $2 AND address = $3`, p.Pseudonym, p.AccountID, form); err != nil {
			return err
		}
		if _, err := tx.Exec(`DELETE FROM otp_rates WHERE account_id = $1 AND address = $2`, p.AccountID, form); err != nil {
			return err
		}
	}
	return nil
}

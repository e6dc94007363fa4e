package account

import "example.com/griot/internal/db"

func findLink(q *db.Query, email string) (*WhatsAppLink, error) {
	return db.First(q, func(scan db.Scan, l *WhatsAppLink) error {
		return scan(&l.Email, &l.Issuer, &l.Subject, &l.Phone, db.Time(&l.LinkedAt))
	},
		`SELECT email, issuer, subject, phone, linked_at FROM whatsapp_links WHERE email = $1`, email)
}

// findLinked returns the address that a number is linked to, or "".
func findLinked(q *db.Query, issuer, subject string) (email string, err error) {
	_, err = q.Row(`SELECT email FROM whatsapp_links WHERE issuer = $1 AND subject = $2`, issuer, subject).Scan(&email)
	return email, err
}

func storeLink(tx *db.Tx, l *WhatsAppLink) error {
	_, err := tx.Exec(`INSERT INTO whatsapp_links (email, issuer, subject, phone, linked_at) VALUES ($1, $2, $3, $4, $5)
 ON CONFLICT (email) DO UPDATE SET issuer = excluded.issuer, subject = excluded.subject, phone = excluded.phone, linked_at = excluded.linked_at`,
		l.Email, l.Issuer, l.Subject, l.Phone, db.Ms(l.LinkedAt))
	return err
}

func deleteLink(tx *db.Tx, email string) error {
	_, err := tx.Exec(`DELETE FROM whatsapp_links WHERE email = $1`, email)
	return err
}

// endLinkedSessions ends the other sessions of a session's address that were opened without a code.
func endLinkedSessions(tx *db.Tx, s *Session) error {
	_, err := tx.Exec(`DELETE FROM account_sessions WHERE email = $1 AND code_at IS NULL AND id <> $2`, s.Email, s.ID)
	return err
}

func allowsWhatsApp(q *db.Query, accountID string) (bool, error) {
	off := int64(1)
	_, err := q.Row(`SELECT whatsapp_off FROM accounts WHERE id = $1`, accountID).Scan(&off)
	return off == 0, err
}

// setWhatsApp enables or disables sign-in by WhatsApp. If it is disabled, setWhatsApp also ends the account's
// sessions that were opened without a code.
func setWhatsApp(tx *db.Tx, accountID string, allow bool) (bool, error) {
	n, err := tx.Exec(`UPDATE accounts SET whatsapp_off = $1 WHERE id = $2 AND whatsapp_off <> $1`, db.Flag(!allow), accountID)
	if err != nil || n == 0 || allow {
		return n == 1, err
	}
	_, err = tx.Exec(`DELETE FROM account_sessions WHERE account_id = $1 AND code_at IS NULL`, accountID)
	return true, err
}

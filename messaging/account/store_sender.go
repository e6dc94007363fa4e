package account

import (
	"database/sql"
	"strings"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/messaging/person"
)

const senderColumns = `id, account_id, channel, address, gateway, position, warm_from, warm_first, warm_days, paused_at`

func readSender(scan db.Scan, s *Sender) error {
	return scan(&s.ID, db.OrZero(&s.AccountID), db.OrZero(&s.Channel), &s.Address, &s.Gateway, &s.Position, db.OrZero(&s.WarmUp.From), &s.WarmUp.First, &s.WarmUp.Days, db.Time(&s.PausedAt))
}

// selectSenders lists an account's senders in their order, followed by the platform's.
func selectSenders(q *db.Query, accountID string) ([]Sender, error) {
	return db.Select(q, readSender, `SELECT `+senderColumns+` FROM senders WHERE account_id = $1 OR account_id IS NULL
 ORDER BY CASE WHEN account_id IS NULL THEN 1 ELSE 0 END, channel, position, id`, accountID)
}

func findSender(q *db.Query, channel, address string) (*Sender, error) {
	return db.First(q, readSender, `SELECT `+senderColumns+` FROM senders WHERE channel = $1 AND address = $2`, channel, address)
}

// A NamedSender is a sender and the name of its account.
type NamedSender struct {
	Sender
	AccountName string
}

// AllSenders lists the senders of all accounts.
func AllSenders(q *db.Query) ([]NamedSender, error) {
	return db.Select(q, readNamedSender, `SELECT s.id, s.account_id, s.channel, s.address, s.gateway, s.position, s.warm_from, s.warm_first, s.warm_days, s.paused_at, a.name FROM senders s JOIN accounts a ON a.id = s.account_id ORDER BY s.address`)
}

func readNamedSender(scan db.Scan, n *NamedSender) error {
	return readSender(func(dest ...any) error { return scan(append(dest, &n.AccountName)...) }, &n.Sender)
}

// selectEverySender lists the senders of all accounts and of the platform.
func selectEverySender(q *db.Query) ([]Sender, error) {
	return db.Select(q, readSender, `SELECT `+senderColumns+` FROM senders ORDER BY channel, address`)
}

// OnGateway reports whether a sender uses a gateway.
func OnGateway(q *db.Query, name string) (bool, error) {
	n := 0
	_, err := q.Row(`SELECT COUNT(*) FROM senders WHERE gateway = $1`, name).Scan(&n)
	return n > 0, err
}

// senderForm returns the comparing form of a sender's address. Names of SMS senders are compared in lowercase, because
// phones show them to people.
func senderForm(address string) string {
	if person.KindOf(address) == person.Other {
		return strings.ToLower(address)
	}
	return person.Form(address)
}

// selectSameForm lists the senders of all channels whose address has the same comparing form as an address,
// with the names of their accounts.
func selectSameForm(q *db.Query, address string) ([]NamedSender, error) {
	return db.Select(q, readNamedSender, `SELECT s.id, s.account_id, s.channel, s.address, s.gateway, s.position, s.warm_from, s.warm_first, s.warm_days, s.paused_at, COALESCE(a.name, '')
 FROM senders s LEFT JOIN accounts a ON a.id = s.account_id WHERE s.form = $1 ORDER BY s.channel`, senderForm(address))
}

// insertSender stores a sender. A channel's address belongs to only one sender, however it is spelled.
func insertSender(tx *db.Tx, s *Sender, created time.Time) (fresh bool, err error) {
	n, err := tx.Exec(`INSERT INTO senders (id, account_id, channel, address, form, gateway, position, created_at, warm_from, warm_first, warm_days) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
 ON CONFLICT DO NOTHING`, s.ID, db.Null(s.AccountID), string(s.Channel), s.Address, senderForm(s.Address), s.Gateway, s.Position, db.Ms(created), s.WarmUp.from(), s.WarmUp.First, s.WarmUp.Days)
	return n == 1, err
}

func updateWarmUp(tx *db.Tx, senderID string, w WarmUp) (accountID string, found bool, err error) {
	found, err = tx.Row(`UPDATE senders SET warm_from = $1, warm_first = $2, warm_days = $3 WHERE id = $4 RETURNING COALESCE(account_id, '')`, w.from(), w.First, w.Days, senderID).Scan(&accountID)
	return accountID, found, err
}

// beginWarmUp starts a sender's warm-up, unless it already has one.
func beginWarmUp(tx *db.Tx, senderID string, w WarmUp) (begun bool, err error) {
	n, err := tx.Exec(`UPDATE senders SET warm_from = $1, warm_first = $2, warm_days = $3 WHERE id = $4 AND warm_from IS NULL`, w.from(), w.First, w.Days, senderID)
	return n == 1, err
}

// from returns NULL if there is no warm-up.
func (w WarmUp) from() sql.NullInt64 { return sql.NullInt64{Int64: w.From, Valid: w.Days > 0} }

func nextPosition(q *db.Query, accountID string, channel gateway.Channel) (int, error) {
	next := 0
	_, err := q.Row(`SELECT COALESCE(MAX(position) + 1, 0) FROM senders WHERE COALESCE(account_id, '') = $1 AND channel = $2`, accountID, string(channel)).Scan(&next)
	return next, err
}

func deleteSender(tx *db.Tx, id string) (s Sender, found bool, err error) {
	found, err = tx.Row(`DELETE FROM senders WHERE id = $1 RETURNING COALESCE(account_id, ''), channel, address, gateway`, id).Scan(&s.AccountID, db.OrZero(&s.Channel), &s.Address, &s.Gateway)
	return s, found, err
}

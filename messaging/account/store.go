package account

import (
	"database/sql"

	"griot/gateway"
	"griot/internal/db"
)

func findKey(q *db.Query, hash string) (c *Caller, accountID string, err error) {
	var id, kind string
	var project sql.NullString
	found, err := q.Row(`SELECT id, account_id, project_id, kind FROM api_keys WHERE key_hash = $1 AND revoked_at IS NULL`, hash).Scan(&id, &accountID, &project, &kind)
	if err != nil || !found {
		return nil, "", err
	}
	return &Caller{ProjectID: project.String, Kind: Kind(kind), KeyID: id}, accountID, nil
}

func findAccount(q *db.Query, id string) (*Account, error) { return accountWhere(q, "id", id) }

// ByEmail returns the account with an e-mail address, or nil.
func ByEmail(q *db.Query, email string) (*Account, error) { return accountWhere(q, "email", email) }

func accountWhere(q *db.Query, column, value string) (*Account, error) {
	a := &Account{}
	var plan string
	var limit sql.NullInt64
	var url, secret sql.NullString
	var created int64
	found, err := q.Row(`SELECT id, name, email, plan, recipient_cap, webhook_url, webhook_secret, created_at,
 CASE WHEN EXISTS (SELECT 1 FROM opt_outs o WHERE o.account_id = accounts.id) THEN 1 ELSE 0 END FROM accounts WHERE `+column+` = $1`, value).
		Scan(&a.ID, &a.Name, &a.Email, &plan, &limit, &url, &secret, &created, &a.HasOptOuts)
	if err != nil || !found {
		return nil, err
	}
	a.Plan, a.RecipientCap, a.WebhookURL, a.WebhookSecret, a.CreatedAt = planNamed(plan), limit.Int64, url.String, secret.String, db.At(created)
	err = q.Each(func(rows *sql.Rows) error {
		s, err := scanSender(rows.Scan)
		a.Senders = append(a.Senders, s)
		return err
	}, `SELECT `+senderColumns+` FROM senders WHERE account_id = $1 OR account_id IS NULL
 ORDER BY CASE WHEN account_id IS NULL THEN 1 ELSE 0 END, channel, position, id`, a.ID)
	return a, err
}

const senderColumns = `id, account_id, channel, address, gateway, position`

func scanSender(scan func(...any) error) (s Sender, err error) {
	var account sql.NullString
	var channel string
	err = scan(&s.ID, &account, &channel, &s.Address, &s.Gateway, &s.Position)
	s.AccountID, s.Channel = account.String, gateway.Channel(channel)
	return s, err
}

func findSender(q *db.Query, channel, address string) (*Sender, error) {
	found := false
	s, err := scanSender(func(dest ...any) (err error) {
		found, err = q.Row(`SELECT `+senderColumns+` FROM senders WHERE channel = $1 AND address = $2`, channel, address).Scan(dest...)
		return err
	})
	if err != nil || !found {
		return nil, err
	}
	return &s, nil
}

// Insert stores an account. Its plan is kept by name.
func Insert(tx *db.Tx, a *Account) error {
	var recipientCap any
	if a.RecipientCap != 0 {
		recipientCap = a.RecipientCap
	}
	_, err := tx.Exec(`INSERT INTO accounts (id, name, email, plan, recipient_cap, webhook_url, webhook_secret, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		a.ID, a.Name, a.Email, a.Plan.Name, recipientCap, db.Null(a.WebhookURL), db.Null(a.WebhookSecret), db.Ms(a.CreatedAt))
	return err
}

// SetWebhook stores where an account's events go; empty for nowhere.
func SetWebhook(tx *db.Tx, accountID, url string) error {
	_, err := tx.Exec(`UPDATE accounts SET webhook_url = $1 WHERE id = $2`, db.Null(url), accountID)
	return err
}

// SetWebhookSecret stores the sealed secret that signs an account's events.
func SetWebhookSecret(tx *db.Tx, accountID, sealed string) error {
	_, err := tx.Exec(`UPDATE accounts SET webhook_secret = $1 WHERE id = $2`, sealed, accountID)
	return err
}

// Projects lists an account's projects, the oldest first.
func Projects(q *db.Query, accountID string) ([]Project, error) {
	var out []Project
	err := q.Each(func(rows *sql.Rows) error {
		p := Project{AccountID: accountID}
		err := rows.Scan(&p.ID, &p.Name)
		out = append(out, p)
		return err
	}, `SELECT id, name FROM projects WHERE account_id = $1 ORDER BY id`, accountID)
	return out, err
}

// NamedSender is a sender and the name of its account.
type NamedSender struct {
	Sender
	AccountName string
}

// AllSenders lists the senders of all accounts.
func AllSenders(q *db.Query) ([]NamedSender, error) {
	var out []NamedSender
	err := q.Each(func(rows *sql.Rows) (err error) {
		var n NamedSender
		n.Sender, err = scanSender(func(dest ...any) error { return rows.Scan(append(dest, &n.AccountName)...) })
		out = append(out, n)
		return err
	}, `SELECT s.id, s.account_id, s.channel, s.address, s.gateway, s.position, a.name FROM senders s JOIN accounts a ON a.id = s.account_id ORDER BY s.address`)
	return out, err
}

// InsertProject stores a project.
func InsertProject(tx *db.Tx, p *Project, created int64) error {
	_, err := tx.Exec(`INSERT INTO projects (id, account_id, name, created_at) VALUES ($1, $2, $3, $4)`, p.ID, p.AccountID, p.Name, created)
	return err
}

// InsertSender stores a sender; a channel's address belongs to one sender only.
func InsertSender(tx *db.Tx, s *Sender, created int64) error {
	_, err := tx.Exec(`INSERT INTO senders (id, account_id, channel, address, gateway, position, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		s.ID, db.Null(s.AccountID), string(s.Channel), s.Address, s.Gateway, s.Position, created)
	return err
}

func insertKey(tx *db.Tx, id, accountID, projectID string, kind Kind, hash, prefix string, created int64) error {
	_, err := tx.Exec(`INSERT INTO api_keys (id, account_id, project_id, kind, key_hash, prefix, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		id, accountID, db.Null(projectID), string(kind), hash, prefix, created)
	return err
}

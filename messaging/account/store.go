package account

import (
	"time"

	"example.com/griot/internal/db"
)

const accountColumns = `id, name, email, lang, time_zone, country, plan, plan_expires_at, trial_ends_at, recipient_cap, webhook_url, webhook_secret, webhook_reads, listen_until, listened_at, fallback_ms, created_at, closed_at, suspended_at, suspended_for,
 CASE WHEN EXISTS (SELECT 1 FROM opt_outs o WHERE o.account_id = accounts.id) THEN 1 ELSE 0 END,
 CASE WHEN EXISTS (SELECT 1 FROM person_aliases p WHERE p.account_id = accounts.id) THEN 1 ELSE 0 END`

func readAccount(scan db.Scan, a *Account) error {
	var reads, fallback int64
	err := scan(&a.ID, &a.Name, &a.Email, &a.Lang, &a.TimeZone, &a.Country, &a.Subscription.Plan, db.Time(&a.Subscription.ExpiresAt), db.Time(&a.Subscription.TrialEndsAt), db.OrZero(&a.OwnCap),
		db.OrZero(&a.WebhookURL), db.OrZero(&a.WebhookSecret), &reads, db.Time(&a.ListenUntil), db.Time(&a.ListenedAt), db.OrZero(&fallback), db.Time(&a.CreatedAt), db.Time(&a.ClosedAt),
		db.Time(&a.SuspendedAt), db.OrZero(&a.SuspendedFor), &a.HasOptOuts, &a.HasAliases)
	a.MutesReads, a.FallbackAfter = reads == 0, time.Duration(fallback)*time.Millisecond
	return err
}

func findAccount(q *db.Query, id string) (*Account, error) { return accountWhere(q, "id", id) }

// ByEmail returns the account with an email address, or nil. Of its plan, only the subscription is set.
func ByEmail(q *db.Query, email string) (*Account, error) {
	return accountWhere(q, "email", NormalEmail(email))
}

func accountWhere(q *db.Query, column, value string) (*Account, error) {
	a, err := db.First(q, readAccount, `SELECT `+accountColumns+` FROM accounts WHERE `+column+` = $1`, value)
	if err != nil || a == nil {
		return nil, err
	}
	a.Senders, err = selectSenders(q, a.ID)
	return a, err
}

// insertAccount stores an account. Its plan is stored by name.
func insertAccount(tx *db.Tx, a *Account) (refused, err error) {
	if known, err := hasPlan(&tx.Query, a.Subscription.Plan); err != nil || !known {
		return ErrNoPlan, err
	}
	n, err := tx.Exec(`INSERT INTO accounts (id, name, email, plan, recipient_cap, created_at, lang) VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (email) DO NOTHING`,
		a.ID, a.Name, a.Email, a.Subscription.Plan, nullIfZero(a.OwnCap), db.Ms(a.CreatedAt), string(a.Lang))
	if err == nil && n == 0 {
		refused = ErrEmailTaken
	}
	return refused, err
}

// lockAccount makes other writers of an account's row wait until the transaction ends. found is false if the account does not exist.
func lockAccount(tx *db.Tx, id string) (found bool, err error) {
	n, err := tx.Exec(`UPDATE accounts SET name = name WHERE id = $1`, id)
	return n == 1, err
}

func updateAccount(tx *db.Tx, id string, c *Change) (found bool, refused, err error) {
	if c.Plan != nil {
		if known, err := hasPlan(&tx.Query, *c.Plan); err != nil || !known {
			return true, ErrNoPlan, err
		}
	}
	if c.Email != nil {
		var other string
		if taken, err := tx.Row(`SELECT id FROM accounts WHERE email = $1 AND id <> $2`, *c.Email, id).Scan(&other); err != nil || taken {
			return true, ErrEmailTaken, err
		}
	}
	expires, trial := changedTime(c.PlanExpiresAt), changedTime(c.TrialEndsAt)
	recipientCap, fallback := -1, int64(-1)
	if c.RecipientCap != nil {
		recipientCap = int(*c.RecipientCap)
	}
	if c.FallbackAfter != nil {
		fallback = c.FallbackAfter.Milliseconds()
	}
	n, err := tx.Exec(`UPDATE accounts SET name = COALESCE($2, name), email = COALESCE($3, email), plan = COALESCE($4, plan),
 plan_expires_at = CASE WHEN CAST($5 AS BIGINT) < 0 THEN plan_expires_at ELSE NULLIF(CAST($5 AS BIGINT), 0) END, trial_ends_at = CASE WHEN CAST($6 AS BIGINT) < 0 THEN trial_ends_at ELSE NULLIF(CAST($6 AS BIGINT), 0) END,
 recipient_cap = CASE WHEN CAST($7 AS BIGINT) < 0 THEN recipient_cap ELSE NULLIF(CAST($7 AS BIGINT), 0) END,
 fallback_ms = CASE WHEN CAST($8 AS BIGINT) < 0 THEN fallback_ms ELSE NULLIF(CAST($8 AS BIGINT), 0) END, lang = COALESCE($9, lang), time_zone = COALESCE($10, time_zone), country = COALESCE($11, country)
 WHERE id = $1`, id, c.Name, c.Email, c.Plan, expires, trial, recipientCap, fallback, c.Lang, c.TimeZone, c.Country)
	return n == 1, nil, err
}

// changedTime encodes a change of a time: -1 for no change, and 0 to remove it.
func changedTime(t *time.Time) int64 {
	switch {
	case t == nil:
		return -1
	case t.IsZero():
		return 0
	}
	return db.Ms(*t)
}

// SetWebhook stores the URL for an account's events. An empty URL disables them.
func SetWebhook(tx *db.Tx, accountID, url string) error {
	if _, err := tx.Exec(`UPDATE accounts SET webhook_url = $1 WHERE id = $2`, db.Null(url), accountID); err != nil {
		return err
	}
	return NoteChange(tx)
}

// SetWebhookReads stores whether an account gets an event when a message is read.
func SetWebhookReads(tx *db.Tx, accountID string, wanted bool) error {
	if _, err := tx.Exec(`UPDATE accounts SET webhook_reads = $1 WHERE id = $2`, db.Flag(wanted), accountID); err != nil {
		return err
	}
	return NoteChange(tx)
}

// RegisterListener registers a program or a page that listens to an account's events until a time. It reports whether
// there was no listener at now, or no program before.
func RegisterListener(tx *db.Tx, accountID string, program bool, now, until int64) (first bool, err error) {
	var before, listened int64
	if _, err := tx.Row(`SELECT COALESCE(listen_until, 0), COALESCE(listened_at, 0) FROM accounts WHERE id = $1`, accountID).Scan(&before, &listened); err != nil {
		return false, err
	}
	if _, err = tx.Exec(`UPDATE accounts SET listen_until = $1 WHERE id = $2 AND COALESCE(listen_until, 0) < $1`, until, accountID); err != nil {
		return false, err
	}
	first = before <= now
	if program && listened == 0 {
		first = true
		_, err = tx.Exec(`UPDATE accounts SET listened_at = $1 WHERE id = $2 AND listened_at IS NULL`, now, accountID)
	}
	if err != nil || !first {
		return first, err
	}
	return true, NoteChange(tx)
}

// RotateStreamSecret changes the secrets of an account's streams, by incrementing their number.
func RotateStreamSecret(tx *db.Tx, accountID string) (turn int64, err error) {
	_, err = tx.Row(`UPDATE accounts SET listen_turn = listen_turn + 1 WHERE id = $1 RETURNING listen_turn`, accountID).Scan(&turn)
	return turn, err
}

// SetWebhookSecret stores the sealed secret that signs an account's events.
func SetWebhookSecret(tx *db.Tx, accountID, sealed string) error {
	if _, err := tx.Exec(`UPDATE accounts SET webhook_secret = $1 WHERE id = $2`, sealed, accountID); err != nil {
		return err
	}
	return NoteChange(tx)
}

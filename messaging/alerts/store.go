package alerts

import (
	"database/sql"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/messaging/account"
)

// overdue lists the payment provider's statuses of a subscription whose payment has failed.
const overdue = `('past_due', 'unpaid')`

// A state is the data of an account that [Service.List] reads.
type state struct {
	used         int64
	disabledAt   time.Time // zero: not disabled
	disabledFor  string
	subscription string // empty: no payment is overdue
	status       string
}

func readState(q *db.Query, accountID string, day int64) (s state, err error) {
	var used, disabled sql.NullInt64
	var reason, subscription, status sql.NullString
	_, err = q.Row(`SELECT (SELECT used FROM quotas WHERE account_id = a.id AND day = $2), w.disabled_at, w.disabled_for, b.subscription_id, b.status
 FROM accounts a LEFT JOIN webhook_endpoints w ON w.account_id = a.id LEFT JOIN billing_customers b ON b.account_id = a.id AND b.status IN `+overdue+` WHERE a.id = $1 ORDER BY b.customer_id LIMIT 1`,
		accountID, day).Scan(&used, &disabled, &reason, &subscription, &status)
	return state{used.Int64, db.AtNull(disabled), reason.String, subscription.String, status.String}, err
}

// highUse lists the accounts that might have used enough of a daily quota for an alert, by the plan that they have
// subscribed to, or by the free plan after it has expired. A trial might give them a higher quota.
func highUse(q *db.Query, day int64, now time.Time, each func(accountID string, used int64) error) error {
	return q.Each(func(rows *sql.Rows) error {
		var id string
		var used int64
		if err := rows.Scan(&id, &used); err != nil {
			return err
		}
		return each(id, used)
	}, `SELECT u.account_id, u.used FROM quotas u JOIN accounts a ON a.id = u.account_id
 JOIN plans p ON p.name = CASE WHEN a.plan_expires_at <= $3 OR NOT EXISTS (SELECT 1 FROM plans x WHERE x.name = a.plan) THEN 'free' ELSE a.plan END
 WHERE u.day = $1 AND u.used * 100 >= $2 * p.daily_limit AND a.closed_at IS NULL`, day, NearPercent, db.Ms(now))
}

// downSenders lists the accounts' senders that cannot send, by the states that the health monitor has stored.
func downSenders(q *db.Query) (out []*Alert, err error) {
	err = q.Each(func(rows *sql.Rows) error {
		s := &account.Sender{}
		var channel, state string
		err := rows.Scan(&s.ID, &s.AccountID, &channel, &s.Address, &state)
		if s.Channel = gateway.Channel(channel); err != nil {
			return err
		}
		if a := ofSender(s, gateway.ConnDetail{State: gateway.ConnState(state)}); a != nil {
			out = append(out, a)
		}
		return nil
	}, `SELECT s.id, s.account_id, s.channel, s.address, t.state FROM sender_states t JOIN senders s ON s.id = t.sender_id JOIN accounts a ON a.id = s.account_id
 WHERE t.state NOT IN ('connected', 'connecting', 'pairing') AND s.paused_at IS NULL AND a.closed_at IS NULL`)
	return out, err
}

func disabledEndpoints(q *db.Query) (out []*Alert, err error) {
	err = q.Each(func(rows *sql.Rows) error {
		var id, reason string
		var at int64
		err := rows.Scan(&id, &at, &reason)
		out = append(out, ofEndpoint(id, db.At(at), reason))
		return err
	}, `SELECT w.account_id, w.disabled_at, COALESCE(w.disabled_for, '') FROM webhook_endpoints w JOIN accounts a ON a.id = w.account_id WHERE w.disabled_at IS NOT NULL AND a.webhook_url IS NOT NULL AND a.closed_at IS NULL`)
	return out, err
}

func overdueSubscriptions(q *db.Query) (out []*Alert, err error) {
	err = q.Each(func(rows *sql.Rows) error {
		var id, subscription, status string
		err := rows.Scan(&id, &subscription, &status)
		out = append(out, ofSubscription(id, subscription, status))
		return err
	}, `SELECT b.account_id, COALESCE(b.subscription_id, ''), b.status FROM billing_customers b JOIN accounts a ON a.id = b.account_id WHERE b.status IN `+overdue+` AND a.closed_at IS NULL`)
	return out, err
}

// A row is a stored alert that is open.
type row struct {
	key

	openedAt time.Time
	tries    int
	mailID   string
	mailAt   time.Time // zero: nothing to do
	mailedAt time.Time
}

const rowColumns = `account_id, kind, subject, opened_at, tries, mail_id, mail_at, mailed_at`

func readRows(q *db.Query, where string, args ...any) (out []*row, err error) {
	err = q.Each(func(rows *sql.Rows) error {
		r := &row{}
		var kind string
		var opened int64
		var mailID sql.NullString
		var mailAt, mailed sql.NullInt64
		err := rows.Scan(&r.accountID, &kind, &r.subject, &opened, &r.tries, &mailID, &mailAt, &mailed)
		r.kind, r.openedAt, r.mailID, r.mailAt, r.mailedAt = Kind(kind), db.At(opened), mailID.String, db.AtNull(mailAt), db.AtNull(mailed)
		out = append(out, r)
		return err
	}, `SELECT `+rowColumns+` FROM account_alerts WHERE resolved_at IS NULL`+where, args...)
	return out, err
}

// openRow stores an alert, unless it is open. If a mail about the same subject was sent recently, the alert is mailed
// only after a pause, or never if once is set.
func openRow(tx *db.Tx, k key, now time.Time) (fresh bool, err error) {
	once := 0
	if k.kind.once() {
		once = 1
	}
	n, err := tx.Exec(`INSERT INTO account_alerts (account_id, kind, subject, opened_at, tries, mail_at) VALUES ($1, $2, $3, $4, 0, $4)
 ON CONFLICT (account_id, kind, subject) DO UPDATE SET opened_at = excluded.opened_at, resolved_at = NULL, tries = 0, mail_id = NULL,
 mail_at = CASE WHEN account_alerts.mailed_at IS NULL THEN excluded.opened_at WHEN CAST($5 AS BIGINT) = 1 THEN NULL
 WHEN account_alerts.mailed_at + CAST($6 AS BIGINT) > excluded.opened_at THEN account_alerts.mailed_at + CAST($6 AS BIGINT) ELSE excluded.opened_at END
 WHERE account_alerts.resolved_at IS NOT NULL`, k.accountID, string(k.kind), k.subject, db.Ms(now), once, mailGap.Milliseconds())
	return n == 1, err
}

// resolveRow ends an alert, unless it has opened again in the meantime.
func resolveRow(tx *db.Tx, r *row, now time.Time) error {
	_, err := tx.Exec(`UPDATE account_alerts SET resolved_at = $1, mail_at = NULL WHERE account_id = $2 AND kind = $3 AND subject = $4 AND opened_at = $5 AND resolved_at IS NULL`,
		db.Ms(now), r.accountID, string(r.kind), r.subject, db.Ms(r.openedAt))
	return err
}

// saveMail stores the state of an alert's mail, unless another node has changed it since it was read as was.
func saveMail(tx *db.Tx, was, r *row) (mine bool, err error) {
	n, err := tx.Exec(`UPDATE account_alerts SET tries = $1, mail_id = $2, mail_at = $3, mailed_at = $4
 WHERE account_id = $5 AND kind = $6 AND subject = $7 AND opened_at = $8 AND tries = $9 AND mail_at = $10 AND COALESCE(mail_id, '') = $11 AND resolved_at IS NULL`,
		r.tries, db.Null(r.mailID), db.NullMs(r.mailAt), db.NullMs(r.mailedAt), r.accountID, string(r.kind), r.subject, db.Ms(r.openedAt), was.tries, db.Ms(was.mailAt), was.mailID)
	return n == 1, err
}

// deleteResolved deletes alerts that were resolved before a time.
func deleteResolved(tx *db.Tx, before time.Time) error {
	_, err := tx.Exec(`DELETE FROM account_alerts WHERE resolved_at < $1`, db.Ms(before))
	return err
}

package account

import (
	"example.com/griot/internal/db"
)

func selectPlans(q *db.Query) ([]Plan, error) {
	return db.Select(q, func(scan db.Scan, p *Plan) error {
		return scan(&p.Name, &p.position, db.OrZero(&p.DailyLimit), db.OrZero(&p.Rate), &p.Inbox, db.OrZero(&p.RecipientCap))
	}, `SELECT name, position, daily_limit, rate, inbox, recipient_cap FROM plans ORDER BY position`)
}

// lockPlan makes other changes of a plan wait. found is false if there is no such plan.
func lockPlan(tx *db.Tx, name string) (found bool, err error) {
	n, err := tx.Exec(`UPDATE plans SET name = name WHERE name = $1`, name)
	return n == 1, err
}

func updatePlan(tx *db.Tx, p *Plan) error {
	_, err := tx.Exec(`UPDATE plans SET daily_limit = $2, rate = $3, inbox = $4, recipient_cap = $5 WHERE name = $1`,
		p.Name, nullIfZero(p.DailyLimit), nullIfZero(int64(p.Rate)), db.Flag(p.Inbox), nullIfZero(p.RecipientCap))
	return err
}

func hasPlan(q *db.Query, name string) (bool, error) {
	var position int64
	return q.Row(`SELECT position FROM plans WHERE name = $1`, name).Scan(&position)
}

// nullIfZero converts a limit of zero to NULL, which means no limit.
func nullIfZero(n int64) any {
	if n == 0 {
		return nil
	}
	return n
}

// SetSubscription stores an account's subscription. Like [NoteChange], which it calls at the end, it must be the last
// change of rows in a transaction.
func SetSubscription(tx *db.Tx, accountID string, s Subscription) error {
	if _, err := tx.Exec(`UPDATE accounts SET plan = $1, plan_expires_at = $2, trial_ends_at = $3 WHERE id = $4`,
		s.Plan, db.NullMs(s.ExpiresAt), db.NullMs(s.TrialEndsAt), accountID); err != nil {
		return err
	}
	return NoteChange(tx)
}

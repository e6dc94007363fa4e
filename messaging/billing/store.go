package billing

import (
	"database/sql"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/audit"
)

// A customer is a row of billing_customers.
type customer struct {
	accountID, id string
	mode          Mode
	revision      int64
	sub           *Subscription // as read last; nil: none
}

const customerColumns = `account_id, customer_id, mode, revision, subscription_id, item_id, price_id, plan, status, entitled, period_end, ends_at, trial_ends_at`

func findCustomer(q *db.Query, where string, args ...any) (*customer, error) {
	c := &customer{}
	var s Subscription
	var subID, item, price, plan, status sql.NullString
	var period, ends, trial sql.NullInt64
	var entitled int64
	found, err := q.Row(`SELECT `+customerColumns+` FROM billing_customers WHERE `+where, args...).
		Scan(&c.accountID, &c.id, &c.mode, &c.revision, &subID, &item, &price, &plan, &status, &entitled, &period, &ends, &trial)
	if err != nil || !found {
		return nil, err
	}
	if subID.Valid {
		s = Subscription{
			ID: subID.String, ItemID: item.String, PriceID: price.String, Plan: plan.String, Status: status.String, Entitled: entitled != 0,
			PeriodEnd: db.AtNull(period), EndsAt: db.AtNull(ends), TrialEndsAt: db.AtNull(trial),
		}
		c.sub = &s
	}
	return c, nil
}

func customerOf(q *db.Query, provider string, mode Mode, accountID string) (*customer, error) {
	return findCustomer(q, `account_id = $1 AND provider = $2 AND mode = $3`, accountID, provider, string(mode))
}

func customerWithID(q *db.Query, provider, id string) (*customer, error) {
	return findCustomer(q, `provider = $1 AND customer_id = $2`, provider, id)
}

// insertCustomer stores a customer, unless the account has one. Two requests of an account get the same customer from
// the provider and can insert it at the same time. Their rows conflict in the primary key and in the index of the
// provider's customers. PostgreSQL reports either one first, so the statement does not name a conflict target.
func insertCustomer(tx *db.Tx, provider string, c *customer, now time.Time) (fresh bool, err error) {
	n, err := tx.Exec(`INSERT INTO billing_customers (account_id, provider, mode, customer_id, revision, entitled, created_at) VALUES ($1, $2, $3, $4, 1, 0, $5)
 ON CONFLICT DO NOTHING`, c.accountID, provider, string(c.mode), c.id, db.Ms(now))
	return n == 1, err
}

// replaceCustomer replaces a customer that the provider no longer has.
func replaceCustomer(tx *db.Tx, provider string, old *customer, id string) (done bool, err error) {
	n, err := tx.Exec(`UPDATE billing_customers SET customer_id = $1, revision = revision + 1 WHERE account_id = $2 AND provider = $3 AND mode = $4 AND revision = $5`,
		id, old.accountID, provider, string(old.mode), old.revision)
	return n == 1, err
}

// raiseRevision counts a change at the provider that is not in the row, unless the row was changed since it was read.
func raiseRevision(tx *db.Tx, provider string, c *customer) (done bool, err error) {
	n, err := tx.Exec(`UPDATE billing_customers SET revision = revision + 1 WHERE account_id = $1 AND provider = $2 AND mode = $3 AND revision = $4`,
		c.accountID, provider, string(c.mode), c.revision)
	return n == 1, err
}

func hasEvent(q *db.Query, provider, id string) (bool, error) {
	var account string
	return q.Row(`SELECT account_id FROM billing_events WHERE provider = $1 AND id = $2`, provider, id).Scan(&account)
}

func insertEvent(tx *db.Tx, provider, accountID string, e *Event, now time.Time) error {
	if _, err := tx.Exec(`WITH locked AS (SELECT provider, id FROM billing_events WHERE received_at <= $1 ORDER BY received_at LIMIT 10 /*lock*/)
 DELETE FROM billing_events WHERE received_at <= $1 AND (provider, id) IN (SELECT provider, id FROM locked)`, db.Ms(now.Add(-eventRetention))); err != nil {
		return err
	}
	_, err := tx.Exec(`INSERT INTO billing_events (id, provider, account_id, type, received_at) VALUES ($1, $2, $3, $4, $5)`, e.ID, provider, accountID, e.Type, db.Ms(now))
	return err
}

// A change is the data to store after reading the provider's state.
type change struct {
	customer *customer     // as it was before the request to the provider
	sub      *Subscription // the provider's response
	event    *Event        // the event that caused the read; nil: a person's request
	audit    *audit.Event  // for a change of the plan
	now      time.Time
}

// store stores a change, unless the customer was changed since it was read.
func (c *change) store(tx *db.Tx, provider string) (done bool, err error) {
	var s Subscription
	if c.sub != nil {
		s = *c.sub
	}
	entitled := 0
	if s.Entitled {
		entitled = 1
	}
	n, err := tx.Exec(`UPDATE billing_customers SET revision = revision + 1, subscription_id = $1, item_id = $2, price_id = $3, plan = $4, status = $5, entitled = $6,
 period_end = $7, ends_at = $8, trial_ends_at = $9 WHERE account_id = $10 AND provider = $11 AND mode = $12 AND customer_id = $13 AND revision = $14`,
		db.Null(s.ID), db.Null(s.ItemID), db.Null(s.PriceID), db.Null(s.Plan), db.Null(s.Status), entitled, db.NullMs(s.PeriodEnd), db.NullMs(s.EndsAt), db.NullMs(s.TrialEndsAt),
		c.customer.accountID, provider, string(c.customer.mode), c.customer.id, c.customer.revision)
	if err != nil || n == 0 {
		return false, err
	}
	if c.event != nil {
		if err := insertEvent(tx, provider, c.customer.accountID, c.event, c.now); err != nil {
			return false, err
		}
	}
	terms := c.sub.terms()
	if sameTerms(terms, c.customer.sub.terms()) {
		return true, nil
	}
	if err := audit.Record(tx, c.audit); err != nil {
		return false, err
	}
	return true, account.SetSubscription(tx, c.customer.accountID, terms)
}

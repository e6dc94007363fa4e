package verbs_test

import (
	"testing"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	messagingverbs "example.com/griot/messaging/verbs"
)

// A project's keys are deleted with it. An account is first closed, unless it has a paid subscription, and is erased
// at the next cleanup if this is requested.
func TestDelete_ProjectsAndAccounts(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		o := newOperator(t, d, func() {})
		do := func(verb string, in any, taken bool) {
			t.Helper()
			if err := o.ask(verb, in); (err == nil) != taken {
				t.Errorf("%s: %v, want it done: %v", verb, err, taken)
			}
		}
		one := func(text string, args ...any) (s string) {
			t.Helper()
			if _, err := d.Read(t.Context()).Row(text, args...).Scan(&s); err != nil {
				t.Fatal(err)
			}
			return s
		}
		do("accounts.create", messagingverbs.AccountInput{Name: "Shop", Email: "shop@example.com"}, true)
		do("projects.create", messagingverbs.ProjectInput{OfAccount: messagingverbs.OfAccount{Account: "shop@example.com"}, Name: "Old"}, true)
		account, project := one(`SELECT id FROM accounts WHERE email = 'shop@example.com'`), one(`SELECT id FROM projects`)
		do("api-keys.create", messagingverbs.KeyInput{OfAccount: messagingverbs.OfAccount{Account: account}, Kind: "project", ProjectID: project}, true)
		do("projects.rename", messagingverbs.ProjectName{OfAccount: messagingverbs.OfAccount{Account: account}, ID: project, Name: "New"}, true)
		do("projects.rename", messagingverbs.ProjectName{OfAccount: messagingverbs.OfAccount{Account: account}, ID: "x", Name: "New"}, false)
		if name := one(`SELECT name FROM projects`); name != "New" {
			t.Errorf("the project is called %q", name)
		}
		do("projects.delete", messagingverbs.InAccount{OfAccount: messagingverbs.OfAccount{Account: account}, ID: project}, true)
		do("projects.delete", messagingverbs.InAccount{OfAccount: messagingverbs.OfAccount{Account: account}, ID: project}, false)
		if n := one(`SELECT CAST(count(*) AS TEXT) FROM api_keys WHERE revoked_at IS NULL`); n != "0" {
			t.Errorf("%s keys of the deleted project work", n)
		}
		subscribe := func(ends string) {
			t.Helper()
			if err := d.Write(t.Context(), func(tx *db.Tx) error {
				_, err := tx.Exec(`INSERT INTO billing_customers (account_id, provider, mode, customer_id, revision, subscription_id, status, entitled, ends_at, created_at) VALUES ($1, 'stripe', 'LIVE', 'c', 0, 's', 'active', 1, `+ends+`, 0)
 ON CONFLICT (account_id, provider, mode) DO UPDATE SET ends_at = excluded.ends_at`, account)
				return err
			}); err != nil {
				t.Fatal(err)
			}
		}
		subscribe("NULL")
		do("accounts.delete", messagingverbs.AccountDeletion{OneAccount: messagingverbs.OneAccount{Account: account}}, false)
		subscribe("1")
		do("accounts.delete", messagingverbs.AccountDeletion{OneAccount: messagingverbs.OneAccount{Account: account}}, true)
		do("accounts.reopen", messagingverbs.OfAccount{Account: account}, true)
		do("accounts.delete", messagingverbs.AccountDeletion{OneAccount: messagingverbs.OneAccount{Account: account}, Now: true}, true)
		do("accounts.reopen", messagingverbs.OfAccount{Account: account}, false)
		do("accounts.delete", messagingverbs.AccountDeletion{OneAccount: messagingverbs.OneAccount{Account: "nobody@example.com"}}, false)
		do("accounts.delete", messagingverbs.AccountDeletion{OneAccount: messagingverbs.OneAccount{Account: "platform"}}, false)
	})
}

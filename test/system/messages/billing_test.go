package messages_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/seal"
	"example.com/griot/internal/waittest"
	"example.com/griot/messaging/billing/stripe/stripetest"
	"example.com/griot/test/system/systemtest"
)

// withCustomer makes the only account of a database a customer of the payment provider.
func withCustomer(t *testing.T, url, customer string) {
	t.Helper()
	d, err := db.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	err = d.Write(t.Context(), func(tx *db.Tx) error {
		_, err := tx.Exec(`INSERT INTO billing_customers (account_id, provider, mode, customer_id, revision, entitled, created_at) SELECT id, 'stripe', 'TEST', $1, 1, 0, created_at FROM accounts`, customer)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// An event that one node accepts changes the quota on all of them, and no secret is written anywhere.
func TestServe_SellsPlans(t *testing.T) {
	t.Parallel()
	for name, url := range map[string]string{"sqlite": "sqlite:" + filepath.Join(t.TempDir(), "griot.db"), "postgres": dbtest.PostgresURL(t)} {
		t.Run(name, func(t *testing.T) {
			provider := stripetest.New(t)
			provider.AddPrice("price_pro", 4900)
			key := systemtest.WithAccount(t, url)
			withCustomer(t, url, "cus_1")
			provider.Subscribe("cus_1", "price_pro", clock.System().Add(30*24*time.Hour))
			hook := filepath.Join(t.TempDir(), "hook.secret")
			if err := os.WriteFile(hook, []byte(stripetest.WebhookSecret+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			settings := fmt.Sprintf("billing:\n  provider: stripe\n  stripe: {secret_key: %s, webhook_secret_file: %q, prices: {price_pro: pro}, url: %q}\n", stripetest.Key, hook, provider.URL)
			master := seal.NewMasterKey()
			nodes := []*systemtest.Server{systemtest.StartNode(t, url, settings, master)}
			if name == "postgres" {
				nodes = append(nodes, systemtest.StartNode(t, url, settings, master))
			}
			limit := func(s *systemtest.Server) string {
				r, err := systemtest.Call("GET", s.Api+"/api/svc-analytics", "", "X-API-Key: "+key)
				if err != nil {
					t.Fatal(err)
				}
				return fmt.Sprint(r.Body["limit"])
			}
			for _, s := range nodes {
				if got := limit(s); got != "10" {
					t.Fatalf("limit %s, want 10", got)
				}
			}
			body := stripetest.Event{ID: "evt_1", Type: "customer.subscription.created", Object: map[string]any{"customer": "cus_1"}}.Body(t)
			for _, want := range []int{400, 200, 200} {
				secret := stripetest.WebhookSecret
				if want == 400 {
					secret = "whsec_other"
				}
				r, err := systemtest.Call("POST", nodes[0].Api+"/billing/stripe/events", string(body), "Stripe-Signature: "+stripetest.Sign(body, clock.System(), secret))
				if err != nil || r.Status != want {
					t.Fatalf("got %v, %v, want %d", r, err, want)
				}
			}
			for _, s := range nodes {
				waittest.Until(t, func() error {
					if got := limit(s); got != "5000" {
						return fmt.Errorf("%w: limit %s, want 5000", systemtest.ErrNotYet, got)
					}
					return nil
				})
				if out := s.Out.String(); strings.Contains(out, "SECRET") || !strings.Contains(out, "plans are sold with Stripe") {
					t.Errorf("the log: %s", out)
				}
			}
		})
	}
}

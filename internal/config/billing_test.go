package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/griot/internal/config"
	"example.com/griot/internal/seal"
)

const selling = whole + `
billing:
  provider: stripe
  contact: ventes@example.com
  stripe: {secret_key: sk_test_4fK2SECRET, webhook_secret: whsec_9sXqSECRET, prices: {price_1a: starter, price_1b: pro}}
`

func TestLoad_Billing(t *testing.T) {
	key := "GRIOT_MASTER_KEY=" + seal.NewMasterKey()
	c, err := config.Load(write(t, whole), []string{key})
	if err != nil || c.Billing.Provider != config.BillingManual {
		t.Errorf("by default: got %q, %v, want manual", c.Billing.Provider, err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"key": "sk_live_4fK2SECRET\n", "hook": "whsec_9sXqSECRET\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, err = config.Load(write(t, whole), []string{
		key, "GRIOT_BILLING_PROVIDER=stripe", "GRIOT_BILLING_CONTACT=https://example.com/ventes", "GRIOT_BILLING_STRIPE_SECRET_KEY_FILE=" + filepath.Join(dir, "key"),
		"GRIOT_BILLING_STRIPE_WEBHOOK_SECRET_FILE=" + filepath.Join(dir, "hook"), "GRIOT_BILLING_STRIPE_PRICES=price_1a:starter,price_1b:pro",
	})
	if err != nil || c.Billing.Stripe.SecretKey != "sk_live_4fK2SECRET" || c.Billing.Stripe.WebhookSecret != "whsec_9sXqSECRET" || c.Billing.Stripe.Prices["price_1b"] != "pro" {
		t.Errorf("by variables: got %+v, %v", c.Billing.Stripe.Prices, err)
	}
	if c, err = config.Load(write(t, selling), []string{key}); err != nil || len(c.Billing.Stripe.Prices) != 2 {
		t.Errorf("by the file: %v", err)
	}
}

func TestLoad_BadBilling(t *testing.T) {
	for name, tc := range map[string]struct{ old, new, want string }{
		"another provider":      {"provider: stripe", "provider: paypal", "billing.provider"},
		"plans that are off":    {"billing:", "plans: 'off'\nbilling:", "billing.provider"},
		"a publishable key":     {"sk_test_4fK2", "pk_test_4fK2", "billing.stripe.secret_key"},
		"no key":                {"sk_test_4fK2SECRET", "''", "billing.stripe.secret_key"},
		"no signing secret":     {"whsec_9sXqSECRET", "''", "billing.stripe.webhook_secret"},
		"no prices":             {"{price_1a: starter, price_1b: pro}", "{}", "billing.stripe.prices"},
		"a product":             {"price_1a", "prod_1a", "billing.stripe.prices"},
		"a price for nothing":   {"price_1a: starter", "price_1a: free", "billing.stripe.prices"},
		"a contact of words":    {"ventes@example.com", "the sales team", "billing.contact"},
		"a contact in clear":    {"ventes@example.com", "http://example.com", "billing.contact"},
		"another server":        {"secret_key:", "url: https://evil.example, secret_key:", "billing.stripe.url"},
		"a member by no name":   {"contact:", "contacts:", "contacts"},
		"a file that is absent": {"secret_key: sk_test_4fK2SECRET", "secret_key_file: /nonexistent", "nonexistent"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := config.Load(write(t, strings.Replace(selling, tc.old, tc.new, 1)), []string{"GRIOT_MASTER_KEY=" + seal.NewMasterKey()})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("got %v, want something about %q", err, tc.want)
			}
			if strings.Contains(err.Error(), "SECRET") {
				t.Errorf("the error shows a secret: %v", err)
			}
		})
	}
}

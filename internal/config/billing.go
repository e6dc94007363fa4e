package config

import (
	"fmt"
	"slices"
	"strings"

	"example.com/griot/internal/httpx"
)

// Billing is the configuration of payments for plans.
type Billing struct {
	Provider string `yaml:"provider" env:"PROVIDER"` // manual or stripe
	Contact  string `yaml:"contact" env:"CONTACT"`   // contact for questions about plans; defaults to Operator.Contact
	Stripe   Stripe `yaml:"stripe" envPrefix:"STRIPE_"`
}

// Stripe is the account with the payment provider Stripe.
type Stripe struct {
	SecretKey         string            `yaml:"secret_key" env:"SECRET_KEY"` // its prefix shows LIVE or TEST
	SecretKeyFile     string            `yaml:"secret_key_file" env:"SECRET_KEY_FILE"`
	WebhookSecret     string            `yaml:"webhook_secret" env:"WEBHOOK_SECRET"` // signs events
	WebhookSecretFile string            `yaml:"webhook_secret_file" env:"WEBHOOK_SECRET_FILE"`
	Prices            map[string]string `yaml:"prices" env:"PRICES"` // price id -> plan: the allow-list
	URL               string            `yaml:"url" env:"URL"`       // for tests: a server on this machine that replaces Stripe
}

// The billing providers.
const (
	BillingManual = "manual"
	BillingStripe = "stripe"
)

const maxPrices = 20

// check records invalid settings, without the secrets.
func (b *Billing) check(plans string, p *CheckError) {
	if b.Contact != "" && !isContact(b.Contact) {
		p.add("billing.contact", "must be an email address, or an https address", "")
	}
	if b.Provider == BillingManual {
		return
	}
	if b.Provider != BillingStripe {
		p.add("billing.provider", "manual or stripe", "")
		return
	}
	if plans != "on" {
		p.add("billing.provider", "stripe needs plans, which are disabled", "")
	}
	b.Stripe.check(p)
}

func (s *Stripe) check(p *CheckError) {
	if !slices.ContainsFunc([]string{"sk_live_", "rk_live_", "sk_test_", "rk_test_"}, func(prefix string) bool {
		return strings.HasPrefix(s.SecretKey, prefix) && len(s.SecretKey) > len(prefix)
	}) && !p.about("billing.stripe.secret_key_file") {
		p.add("billing.stripe.secret_key", "must begin with sk_live_, rk_live_, sk_test_, or rk_test_", fileHint+"secret_key_file")
	}
	if !strings.HasPrefix(s.WebhookSecret, "whsec_") && !p.about("billing.stripe.webhook_secret_file") {
		p.add("billing.stripe.webhook_secret", "must be the signing secret of the endpoint, which begins with whsec_", fileHint+"webhook_secret_file")
	}
	if len(s.Prices) == 0 || len(s.Prices) > maxPrices {
		p.add("billing.stripe.prices", fmt.Sprintf("1 to %d prices, each with its plan", maxPrices), "")
	}
	for id, plan := range s.Prices {
		if !strings.HasPrefix(id, "price_") || plan == "" || plan == "free" {
			p.add("billing.stripe.prices", "must be ids that begin with price_, each with the name of a plan other than free", "")
			break
		}
	}
	if own, err := httpx.ParseOwn(s.URL); s.URL != "" && (err != nil || own.URL != s.URL || !own.Loopback()) {
		p.add("billing.stripe.url", "must be an address of this machine, for tests", "omit it to use Stripe")
	}
}

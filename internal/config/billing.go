package config

import (
	"fmt"
	"slices"
	"strings"

	"griot/internal/httpx"
)

// Billing is how accounts pay for their plans.
type Billing struct {
	Provider string `yaml:"provider" env:"PROVIDER"` // manual or stripe
	Contact  string `yaml:"contact" env:"CONTACT"`   // whom to ask about plans, like Operator.Contact, which is the default
	Stripe   Stripe `yaml:"stripe" envPrefix:"STRIPE_"`
}

// Stripe is the account with the payment provider Stripe.
type Stripe struct {
	SecretKey         string            `yaml:"secret_key" env:"SECRET_KEY"` // its prefix says LIVE or TEST
	SecretKeyFile     string            `yaml:"secret_key_file" env:"SECRET_KEY_FILE"`
	WebhookSecret     string            `yaml:"webhook_secret" env:"WEBHOOK_SECRET"` // signs events
	WebhookSecretFile string            `yaml:"webhook_secret_file" env:"WEBHOOK_SECRET_FILE"`
	Prices            map[string]string `yaml:"prices" env:"PRICES"` // price id -> plan: the allow-list
	URL               string            `yaml:"url" env:"URL"`       // for tests: a server on this machine in Stripe's place
}

// The billing providers.
const (
	BillingManual = "manual"
	BillingStripe = "stripe"
)

const maxPrices = 20

// check returns what is wrong, without the secrets.
func (b *Billing) check(plans string) (problems []string) {
	bad := func(format string, args ...any) { problems = append(problems, fmt.Sprintf("billing."+format, args...)) }
	if b.Contact != "" && !isContact(b.Contact) {
		bad("contact: an e-mail address, or an https address")
	}
	if b.Provider == BillingManual {
		return problems
	}
	if b.Provider != BillingStripe {
		bad("provider: manual or stripe")
		return problems
	}
	s := b.Stripe
	if plans != "on" {
		bad("provider: stripe sells plans, which are off")
	}
	if !slices.ContainsFunc([]string{"sk_live_", "rk_live_", "sk_test_", "rk_test_"}, func(prefix string) bool {
		return strings.HasPrefix(s.SecretKey, prefix) && len(s.SecretKey) > len(prefix)
	}) {
		bad("stripe.secret_key: begins with sk_live_, rk_live_, sk_test_ or rk_test_, best in a file: secret_key_file")
	}
	if !strings.HasPrefix(s.WebhookSecret, "whsec_") {
		bad("stripe.webhook_secret: the signing secret of the endpoint, which begins with whsec_, best in a file: webhook_secret_file")
	}
	if len(s.Prices) == 0 || len(s.Prices) > maxPrices {
		bad("stripe.prices: 1 to %d prices, each with its plan", maxPrices)
	}
	for id, plan := range s.Prices {
		if !strings.HasPrefix(id, "price_") || plan == "" || plan == "free" {
			bad("stripe.prices: ids that begin with price_, each with the name of a plan other than free")
			break
		}
	}
	if own, err := httpx.ParseOwn(s.URL); s.URL != "" && (err != nil || own.URL != s.URL || !own.Loopback()) {
		bad("stripe.url: an address of this machine, for tests; leave it out to use Stripe")
	}
	return problems
}

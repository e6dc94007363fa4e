// Package auth assembles the login service from its configuration and the resources of the process, and provides the
// handlers and tasks that a program serves and runs.
package auth

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"example.com/griot/auth/api"
	"example.com/griot/auth/login"
	"example.com/griot/gateway"
	"example.com/griot/gateway/identity"
	"example.com/griot/internal/admin"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/config"
	"example.com/griot/internal/db"
	"example.com/griot/internal/metrics"
	"example.com/griot/internal/phone"
	"example.com/griot/internal/seal"
	"example.com/griot/internal/task"
	"example.com/griot/internal/webhook"
	"example.com/griot/internal/whole"
	"example.com/griot/openapi"
	"example.com/griot/web"
)

// Env holds the resources that the process provides. All of them are required.
type Env struct {
	DB      *db.DB // migrated
	Key     *seal.Key
	Pages   *web.Pages
	Book    *web.Book
	Now     clock.Now
	Log     *slog.Logger
	Metrics *metrics.Metrics
	Version string

	Gateways *gateway.Set    // deliver the messages to the receivers
	Identity *identity.Store // the numbers of people whose number WhatsApp hides
}

// Service is the login service. It is safe for concurrent use.
type Service struct {
	api *api.API
	c   *config.Config
}

// Open returns the service. It starts nothing and opens no connections. It writes only the signing key, if none exists.
func Open(ctx context.Context, e *Env, c *config.Config) (*Service, error) {
	if err := whole.Check("auth.Env", e); err != nil {
		return nil, err
	}
	since, err := c.Operator.SinceDay()
	if err != nil {
		return nil, err
	}
	timing := webhook.StandardTiming()
	if c.Dev.ShortDelays {
		timing = webhook.ShortTiming()
	}
	a, err := api.New(ctx, api.Options{
		DB: e.DB, Key: e.Key, Now: e.Now, Log: e.Log, Pages: e.Pages, Book: e.Book, URL: c.Auth.URL, Receivers: Receivers(c),
		Limits: c.ActiveLimits(), VerifyOnPublic: c.Dev.VerifyOnPublic, PhonesURL: c.Dev.LoginPhonesURL, Accounts: c.AccountsDashboard(), OpenAPI: openapi.Auth(),
		Operator: web.Operator{Name: c.Operator.Name, Contact: c.Operator.Contact, Since: since}, Terms: c.Auth.Terms, Privacy: c.Auth.Privacy, StateMax: c.Auth.StateMax,
		Webhooks:  api.Webhooks{Dial: c.WebhookDial(), Timing: timing, Agent: "Griot/" + e.Version, Keep: time.Duration(c.Retention.Events)},
		KeepAudit: time.Duration(c.Retention.Audit), Metrics: e.Metrics.Groups, Gateways: e.Gateways, Identity: e.Identity, AskForNumber: c.AsksForNumber, ConfirmSignIn: c.ConfirmsSignIn,
	})
	return &Service{a, c}, err
}

// Receivers returns the numbers to which people send login messages.
func Receivers(c *config.Config) []login.Receiver {
	var out []login.Receiver
	for _, r := range c.Auth.Receivers {
		number, _ := phone.Parse(r.Number) // checked when the configuration was read
		out = append(out, login.Receiver{PhoneID: r.PhoneID, Number: string(number), Gateway: r.Gateway, Secret: r.Secret})
	}
	return out
}

// Public returns the handler of the public listener.
func (s *Service) Public() http.Handler { return s.api.Public() }

// Busy returns a handler that refuses every request with 429 rate_limited.
func (s *Service) Busy() http.Handler { return s.api.Busy() }

// Internal returns the handler of the internal listener.
func (s *Service) Internal() http.Handler { return s.api.InternalHandler() }

// Inbound handles a message from a person and reports whether it belongs to a login; see [api.API.Inbound].
func (s *Service) Inbound(ctx context.Context, in gateway.Inbound) (taken bool, err error) {
	return s.api.Inbound(ctx, in)
}

// Change handles a report about a person; see [api.API.Change].
func (s *Service) Change(ctx context.Context, c gateway.Change) (taken bool, err error) {
	return s.api.Change(ctx, c)
}

// NumberChanged stores a report that a person has another number; see [api.API.NumberChanged]. It must have been
// reported at a number of its gateway.
func (s *Service) NumberChanged(ctx context.Context, c *gateway.Change) error {
	return s.api.NumberChanged(ctx, c)
}

// Foreign writes an audit event if a gateway reports on a number or a message that isn't its own.
func (s *Service) Foreign(ctx context.Context, gatewayName, number, code string) error {
	return s.api.Foreign(ctx, gatewayName, number, code)
}

// IDConflict writes an audit event if a gateway has reported a WhatsApp ID with a number other than before.
func (s *Service) IDConflict(ctx context.Context, gatewayName, number string) error {
	return s.api.IDConflict(ctx, gatewayName, number)
}

// Verbs returns the operator's verbs of this service.
func (s *Service) Verbs() admin.Verbs { return s.api.Admin() }

// Tasks lists the background tasks of a process with the given roles.
func (s *Service) Tasks() []task.Task {
	var all []task.Task
	if s.c.HasRole(config.RoleAuth) {
		all = s.api.Tasks()
	}
	if s.c.LoginsCanWrite() { // messages arrive in every process with a gateway or a provider's webhook
		all = append(all, s.api.MessageTask())
	}
	return all
}

// Package auth assembles the login service from its configuration and the resources of the process, and provides the
// handlers and tasks that a program serves and runs.
package auth

import (
	"context"
	"log/slog"
	"time"

	"example.com/griot/auth/login"
	"example.com/griot/gateway"
	"example.com/griot/gateway/identity"
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

// Open returns the service with the settings of a configuration; see [New].
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
	return New(ctx, Options{
		DB: e.DB, Key: e.Key, Now: e.Now, Log: e.Log, Pages: e.Pages, Book: e.Book, URL: c.Auth.URL, Receivers: Receivers(c),
		Limits: c.ActiveLimits(), VerifyOnPublic: c.Dev.VerifyOnPublic, PhonesURL: c.Dev.LoginPhonesURL, Accounts: c.AccountsDashboard(), OpenAPI: openapi.Auth(),
		Operator: web.Operator{Name: c.Operator.Name, Contact: c.Operator.Contact, Since: since}, Terms: c.Auth.Terms, Privacy: c.Auth.Privacy, StateMax: c.Auth.StateMax,
		Webhooks:  Webhooks{Dial: c.WebhookDial(), Timing: timing, Agent: "Griot/" + e.Version, Keep: time.Duration(c.Retention.Events)},
		KeepAudit: time.Duration(c.Retention.Audit), Metrics: e.Metrics.Groups, Gateways: e.Gateways, Identity: e.Identity, AskForNumber: c.AsksForNumber, ConfirmSignIn: c.ConfirmsSignIn,
	})
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

// Tasks lists the background tasks of a process with the roles of a configuration.
func (s *Service) Tasks(c *config.Config) []task.Task {
	var all []task.Task
	if c.HasRole(config.RoleAuth) {
		all = s.ServerTasks()
	}
	if c.LoginsCanWrite() { // messages arrive in every process with a gateway or a provider's webhook
		all = append(all, s.MessageTask())
	}
	return all
}

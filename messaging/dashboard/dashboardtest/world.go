// Package dashboardtest opens the messaging service with its dashboard ([NewWorld]), and signs in people ([Person]).
package dashboardtest

import (
	"context"
	"html"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"testing"
	"time"

	sdk "github.com/stripe/stripe-go/v82"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/logtest"
	"example.com/griot/internal/waittest"
	"example.com/griot/internal/webhook"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/api"
	"example.com/griot/messaging/api/apitest"
	"example.com/griot/messaging/billing"
	"example.com/griot/messaging/billing/stripe"
	"example.com/griot/messaging/billing/stripe/stripetest"
	"example.com/griot/messaging/connections"
	"example.com/griot/messaging/dashboard"
	"example.com/griot/messaging/inbox"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/web"
)

// AMonth is the length of a paid period.
const AMonth = 30 * 24 * time.Hour

// OwnerEmail is the address of the account's owner.
const OwnerEmail = "test-pro@example.com" // messagingtest's, on the plan pro

// A World is the messaging service with its dashboard. Its mails are sent to the channel mails.
type World struct {
	*messagingtest.World
	T     *testing.T
	Url   string
	Pages *dashboard.Dashboard
	Log   *logtest.Recorder
	Mails chan gateway.Outbound
}

// NewShop returns a world in which plans are for sale, with a server that simulates Stripe.
func NewShop(t *testing.T, d *db.DB) (*World, *stripetest.Server) {
	t.Helper()
	server := stripetest.New(t)
	for id, amount := range map[string]int64{"price_starter": 900, "price_pro": 4900, "price_pro_year": 49050, "price_business": 1990000} {
		server.AddPrice(id, amount)
	}
	server.SetPrice("price_pro_year", func(p *sdk.Price) { p.Recurring.Interval = sdk.PriceRecurringIntervalYear })
	server.SetPrice("price_business", func(p *sdk.Price) { p.Currency = "xof" })
	return NewWorld(t, d, func(o *api.Options) {
		provider, err := stripe.New(stripe.Options{
			Key: stripetest.Key, WebhookSecret: stripetest.WebhookSecret, URL: server.URL, Log: slog.New(slog.DiscardHandler),
			Prices: map[string]string{"price_starter": "starter", "price_pro": "pro", "price_pro_year": "pro", "price_business": "business"},
		})
		if err != nil {
			t.Fatal(err)
		}
		o.Billing = billing.New(billing.Options{DB: d, Directory: o.Directory, Provider: provider, Contact: "ventes@griot.example", Now: o.Now, Log: o.Log, URL: o.URL})
	}), server
}

// NewWorld opens the service on a database, with changed options of the API.
func NewWorld(t *testing.T, d *db.DB, change ...func(*api.Options)) *World {
	t.Helper()
	return NewWorldWith(t, d, func(*dashboard.Options) {}, change...)
}

// NewWorldWith also changes the options of the pages.
func NewWorldWith(t *testing.T, d *db.DB, changePages func(*dashboard.Options), change ...func(*api.Options)) *World {
	t.Helper()
	w := &World{World: messagingtest.New(t, d, "pro"), T: t, Log: &logtest.Recorder{}, Mails: make(chan gateway.Outbound, 100)}
	w.Gateway.SetScript(func(_ context.Context, out *gateway.Outbound) (gateway.Ack, error) {
		if out.From == "bonjour@griot.example" && regexp.MustCompile(`\b\d{6}\b`).MatchString(out.Text) {
			w.Mails <- *out
		}
		return gateway.Ack{ProviderID: "p_" + out.Ref}, nil
	})
	if err := w.Directory.CreatePlatformSender(t.Context(), account.Sender{Channel: gateway.Email, Address: "bonjour@griot.example", Gateway: "fake"}); err != nil {
		t.Fatal(err)
	}
	pages, err := web.New()
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewUnstartedServer(nil)
	w.Url = "http://" + srv.Listener.Addr().String()
	o := apitest.Options(w.World, pages, w.Log.Logger(), w.Url, change...)
	a, err := api.New(o)
	if err != nil {
		t.Fatal(err)
	}
	do := dashboard.Options{
		HTTP: a.HTTP(), Sessions: a.Sessions(), Changes: a.WebhookStream,
		Billing: o.Billing, Alerts: o.Alerts, Pairing: o.Pairing, Erasure: o.Erasure, OptOuts: o.OptOuts, Messages: o.Messages, Senders: o.Senders, Stats: o.Stats, Closing: o.Closing,
		Directory: w.Directory, Delivery: w.Delivery, OTP: o.OTP, Inbox: w.Inbox, Endpoints: w.Endpoints, Now: w.Clock.Now, Key: w.Master, Pages: pages, URL: w.Url,
	}
	changePages(&do)
	w.Pages, err = dashboard.New(do)
	if err != nil {
		t.Fatal(err)
	}
	srv.Config.Handler = a.Handler(w.Pages.Routes()...)
	srv.Start()
	t.Cleanup(srv.Close)
	waittest.Run(t, a.Run)
	w.Run(t, w.Delivery)
	return w
}

// Exec runs one statement.
func (w *World) Exec(query string) {
	w.T.Helper()
	w.Write(w.T, func(tx *db.Tx) error {
		_, err := tx.Exec(query)
		return err
	})
}

// Conversation returns the address of the conversation with a number.
func (w *World) Conversation(number string) string {
	w.T.Helper()
	list, err := w.Inbox.Conversations(w.T.Context(), w.LiveCaller, &inbox.Query{Q: number, Limit: 1})
	if err != nil || len(list.List) != 1 {
		w.T.Fatalf("the conversation with %s: %v, %v", number, list, err)
	}
	return "/dashboard/inbox/" + list.List[0].ID
}

// Unread counts the account's unread messages.
func (w *World) Unread() int64 {
	w.T.Helper()
	s, err := w.Inbox.State(w.T.Context(), w.LiveCaller)
	if err != nil {
		w.T.Fatal(err)
	}
	return s.Unread
}

// Opens reports whether the API accepts a key.
func (w *World) Opens(key string) bool {
	w.T.Helper()
	c, err := w.Directory.Authenticate(w.T.Context(), key)
	if err != nil {
		w.T.Fatal(err)
	}
	return c != nil
}

// Calls counts the gateway's calls for a recipient.
func (w *World) Calls(to string) (n int) {
	for _, c := range w.Gateway.Calls() {
		if c.To == to {
			n++
		}
	}
	return n
}

// State sets the state of the account's WhatsApp number, for long enough to be reported.
func (w *World) State(d gateway.ConnDetail) {
	w.T.Helper()
	w.Gateway.SetDetail(messagingtest.WhatsApp, d)
	m := connections.New(connections.Options{DB: w.DB, Directory: w.Directory, Detail: w.Delivery.Detail, Now: w.Clock.Now, Log: w.Log.Logger(), Signal: &webhook.Signal{}})
	for range 2 {
		w.Clock.Advance(2 * time.Minute) // the lease of the previous monitor has expired
		if err := m.Check(w.T.Context()); err != nil {
			w.T.Fatal(err)
		}
	}
}

// Sender returns the ID of one of the account's senders.
func (w *World) Sender(address string) string {
	w.T.Helper()
	for _, s := range w.Account.Senders {
		if s.Address == address {
			return s.ID
		}
	}
	w.T.Fatalf("no sender %s", address)
	return ""
}

// Fail makes the gateway fail once and returns the address of the message.
func (w *World) Fail(p *Person, class gateway.Class, code string) string {
	w.T.Helper()
	w.Gateway.FailWith(class, code)
	defer w.Gateway.SetScript(nil)
	return p.Send("to", "+22376000001", "channel", "sms", "message", "Bonjour")
}

// Disabled sets the endpoint's state in the same way as the dispatcher.
func (w *World) Disabled(reason string) {
	w.T.Helper()
	w.Write(w.T, func(tx *db.Tx) error {
		_, err := tx.Exec(`INSERT INTO webhook_endpoints (account_id, owner_until, changed_at, pause, disabled_at, disabled_for) VALUES ($1, 0, 0, 0, $2, $3)
 ON CONFLICT (account_id) DO UPDATE SET disabled_at = excluded.disabled_at, disabled_for = excluded.disabled_for`, w.Account.ID, db.Ms(messagingtest.Start), reason)
		return err
	})
}

// Attempted ends an event's delivery with a failed attempt.
func (w *World) Attempted(eventID string, status int, class webhook.Class, answer string) {
	w.T.Helper()
	w.Write(w.T, func(tx *db.Tx) error {
		now := db.Ms(w.Clock.Now())
		if _, err := tx.Exec(`INSERT INTO webhook_attempts (account_id, event_id, version, at, status, latency, answer, error) VALUES ($1, $2, 1, $3, $4, 1234, $5, $6)`, w.Account.ID, eventID, now, status, answer, string(class)); err != nil {
			return err
		}
		_, err := tx.Exec(`UPDATE webhook_events SET tries = 1, due_at = NULL, failed_at = $1 WHERE id = $2`, now, eventID)
		return err
	})
}

// Person returns a new browser without cookies.
func (w *World) Person() *Person {
	jar := newJar()
	return &Person{w: w, Client: &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, Origin: w.Url}
}

// MailedCode waits for the mail to an address and returns its code.
func (w *World) MailedCode(email string) string {
	w.T.Helper()
	select {
	case m := <-w.Mails:
		if m.To != email {
			w.T.Fatalf("a mail to %s, want one to %s", m.To, email)
		}
		return regexp.MustCompile(`\b\d{6}\b`).FindString(m.Text)
	case <-time.After(10 * time.Second):
		w.T.Fatalf("no mail to %s", email)
		return ""
	}
}

// Invitation waits for the invitation's mail and returns its link and code.
func (w *World) Invitation(email string) (link, code string) {
	w.T.Helper()
	m := waittest.Receive(w.T, w.Mails)
	link = regexp.MustCompile(`\S+/dashboard/invitation#\S{43}`).FindString(m.Text)
	code = regexp.MustCompile(`\b\d{6}\b`).FindString(m.Text)
	if m.To != email || link == "" || code == "" {
		w.T.Fatalf("a mail to %s, want an invitation to %s:\n%s", m.To, email, m.Text)
	}
	return link, code
}

// SignIn signs in a new person.
func (w *World) SignIn(email string) *Person {
	w.T.Helper()
	p := w.Person()
	p.Wants(p.AskForCode(email, "")(w.MailedCode(email)), http.StatusSeeOther, "/dashboard")
	return p
}

// Invite stores an invitation.
func (w *World) Invite(email string, role account.Role) *account.Invitation {
	w.T.Helper()
	i, _ := w.Directory.NewInvitation(w.Account.ID, email, account.Membership{Role: role})
	if err := w.Directory.StoreInvitation(w.T.Context(), i); err != nil {
		w.T.Fatal(err)
	}
	return i
}

// Member signs in a person who has accepted an invitation.
func (w *World) Member(email string, role account.Role) *Person {
	w.T.Helper()
	i := w.Invite(email, role)
	p := w.SignIn(email)
	p.Wants(p.Post("/dashboard/invitation", "invitation", i.ID), http.StatusSeeOther, "/dashboard?done=joined")
	return p
}

// KeyPath returns the page of the latest key with a name in a list.
func KeyPath(t *testing.T, list *Page, name string) string {
	t.Helper()
	found := regexp.MustCompile(`href="(/dashboard/keys/[0-9A-Z]{26})" class="break"><bdi>` + regexp.QuoteMeta(html.EscapeString(name)) + `<`).FindStringSubmatch(list.Body)
	if found == nil {
		t.Fatalf("no key %q in the list:\n%s", name, list.Body)
	}
	return found[1]
}

// Query returns a query with one parameter.
func Query(name, value string) string { return url.Values{name: {value}}.Encode() }

// Signup sets the option that determines who can sign up.
func Signup(to account.Signup) func(*api.Options) {
	return func(o *api.Options) { o.Directory.Signup = to }
}

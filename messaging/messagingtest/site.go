package messagingtest

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/waittest"
	"example.com/griot/internal/webhook"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/api"
	"example.com/griot/messaging/dashboard"
	"example.com/griot/messaging/inbox"
	"example.com/griot/web/webtest"
)

// AMonth is the length of a paid period.
const AMonth = 30 * 24 * time.Hour

// OwnerEmail is the address of the account's owner.
const OwnerEmail = "test-pro@example.com" // on the plan pro

var sixDigits = regexp.MustCompile(`\b\d{6}\b`)

// A Site is a world that serves the API and the dashboard. Its mails with codes are sent to the channel Mails.
type Site struct {
	*World
	T     *testing.T
	API   *api.API
	Pages *dashboard.Dashboard
	Mails chan gateway.Outbound
}

// NewSite serves a world on the plan pro, with changed options of the API.
func NewSite(t *testing.T, d *db.DB, change ...func(*api.Options)) *Site {
	t.Helper()
	return New(t, d, "pro").Site(t, func(*dashboard.Options) {}, change...)
}

// Site serves the API and the dashboard until the test ends, with changed options.
func (w *World) Site(t *testing.T, changePages func(*dashboard.Options), change ...func(*api.Options)) *Site {
	t.Helper()
	s := &Site{World: w, T: t, API: w.NewAPI(t, change...), Mails: make(chan gateway.Outbound, 100)}
	w.ReceiveMails(t, func(mail gateway.Outbound) {
		if sixDigits.MatchString(mail.Text) {
			s.Mails <- mail
		}
	})
	o := dashboard.Options{
		HTTP: s.API.HTTP(), Sessions: s.API.Sessions(), Changes: s.API.WebhookStream,
		Billing: w.Billing, Alerts: w.Alerts, Pairing: w.Pairing, Erasure: w.Erasure, OptOuts: w.OptOuts, Messages: w.Messages, Senders: w.Senders, Stats: w.Stats, Closing: w.Closing,
		Directory: w.Directory, Delivery: w.Delivery, OTP: w.OTP, Inbox: w.Inbox, Endpoints: w.Endpoints, Now: w.Clock.Now, Key: w.Master, Pages: webtest.NewPages(t), URL: w.URL,
	}
	changePages(&o)
	var err error
	if s.Pages, err = dashboard.New(o); err != nil {
		t.Fatal(err)
	}
	w.Serve(s.API.Handler(s.Pages.Routes()...))
	waittest.Run(t, s.API.Run)
	w.Run(t, w.Delivery)
	return s
}

// Exec runs one statement.
func (w *Site) Exec(query string, args ...any) { w.T.Helper(); w.World.Exec(w.T, query, args...) }

// Conversation returns the address of the conversation with a number.
func (w *Site) Conversation(number string) string {
	w.T.Helper()
	list, err := w.Inbox.Conversations(w.T.Context(), w.LiveCaller, &inbox.Query{Q: number, Limit: 1})
	if err != nil || len(list.List) != 1 {
		w.T.Fatalf("the conversation with %s: %v, %v", number, list, err)
	}
	return "/dashboard/inbox/" + list.List[0].ID
}

// Unread counts the account's unread messages.
func (w *Site) Unread() int64 {
	w.T.Helper()
	s, err := w.Inbox.State(w.T.Context(), w.LiveCaller)
	if err != nil {
		w.T.Fatal(err)
	}
	return s.Unread
}

// Opens reports whether the API accepts a key.
func (w *Site) Opens(key string) bool {
	w.T.Helper()
	c, err := w.Directory.Authenticate(w.T.Context(), key)
	if err != nil {
		w.T.Fatal(err)
	}
	return c != nil
}

// Calls counts the gateway's calls for a recipient.
func (w *Site) Calls(to string) (n int) {
	for _, c := range w.Gateway.Calls() {
		if c.To == to {
			n++
		}
	}
	return n
}

// State sets the state of the account's WhatsApp number, for long enough to be reported.
func (w *Site) State(d gateway.ConnDetail) {
	w.T.Helper()
	w.Gateway.SetDetail(WhatsApp, d)
	m := w.NewMonitor()
	for range 2 {
		w.Clock.Advance(2 * time.Minute) // the lease of the previous monitor has expired
		if err := m.Check(w.T.Context()); err != nil {
			w.T.Fatal(err)
		}
	}
}

// Sender returns the ID of one of the account's senders.
func (w *Site) Sender(address string) string {
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
func (w *Site) Fail(p *Person, class gateway.Class, code string) string {
	w.T.Helper()
	w.Gateway.FailWith(class, code)
	defer w.Gateway.SetScript(nil)
	return p.Send("to", "+22376000001", "channel", "sms", "message", "Bonjour")
}

// Disabled sets the endpoint's state in the same way as the dispatcher.
func (w *Site) Disabled(reason string) {
	w.T.Helper()
	w.Exec(`INSERT INTO webhook_endpoints (account_id, owner_until, changed_at, pause, disabled_at, disabled_for) VALUES ($1, 0, 0, 0, $2, $3)
 ON CONFLICT (account_id) DO UPDATE SET disabled_at = excluded.disabled_at, disabled_for = excluded.disabled_for`, w.Account.ID, db.Ms(Start), reason)
}

// Attempted ends an event's delivery with a failed attempt.
func (w *Site) Attempted(eventID string, status int, class webhook.Class, answer string) {
	w.T.Helper()
	now := db.Ms(w.Clock.Now())
	w.Exec(`INSERT INTO webhook_attempts (account_id, event_id, version, at, status, latency, answer, error) VALUES ($1, $2, 1, $3, $4, 1234, $5, $6)`, w.Account.ID, eventID, now, status, answer, string(class))
	w.Exec(`UPDATE webhook_events SET tries = 1, due_at = NULL, failed_at = $1 WHERE id = $2`, now, eventID)
}

// Person returns a new browser without cookies.
func (w *Site) Person() *Person {
	jar := newJar()
	return &Person{w: w, Client: &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, Origin: w.URL}
}

// MailedCode waits for the mail to an address and returns its code.
func (w *Site) MailedCode(email string) string {
	w.T.Helper()
	m := waittest.Receive(w.T, w.Mails)
	if m.To != email {
		w.T.Fatalf("a mail to %s, want one to %s", m.To, email)
	}
	return sixDigits.FindString(m.Text)
}

// Invitation waits for the invitation's mail and returns its link and code.
func (w *Site) Invitation(email string) (link, code string) {
	w.T.Helper()
	m := waittest.Receive(w.T, w.Mails)
	link = regexp.MustCompile(`\S+/dashboard/invitation#\S{43}`).FindString(m.Text)
	code = sixDigits.FindString(m.Text)
	if m.To != email || link == "" || code == "" {
		w.T.Fatalf("a mail to %s, want an invitation to %s:\n%s", m.To, email, m.Text)
	}
	return link, code
}

// SignIn signs in a new person.
func (w *Site) SignIn(email string) *Person {
	w.T.Helper()
	p := w.Person()
	p.Wants(p.AskForCode(email, "")(w.MailedCode(email)), http.StatusSeeOther, "/dashboard")
	return p
}

// Invite stores an invitation.
func (w *Site) Invite(email string, role account.Role) *account.Invitation {
	w.T.Helper()
	i, _ := w.Directory.NewInvitation(w.Account.ID, email, account.Membership{Role: role})
	if err := w.Directory.StoreInvitation(w.T.Context(), i); err != nil {
		w.T.Fatal(err)
	}
	return i
}

// Member signs in a person who has accepted an invitation.
func (w *Site) Member(email string, role account.Role) *Person {
	w.T.Helper()
	i := w.Invite(email, role)
	p := w.SignIn(email)
	p.Wants(p.Post("/dashboard/invitation", "invitation", i.ID), http.StatusSeeOther, "/dashboard?done=joined")
	return p
}

// KeyPath returns the page of the latest key with a name in a list.
func KeyPath(t *testing.T, list *webtest.Page, name string) string {
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

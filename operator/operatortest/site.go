// Package operatortest opens both services with the operator's pages ([NewSite]).
package operatortest

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/griot/auth/authtest"
	"example.com/griot/auth/tenant"
	authverbs "example.com/griot/auth/verbs"
	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaystore"
	"example.com/griot/gateway/smtp"
	"example.com/griot/internal/actor"
	"example.com/griot/internal/db"
	"example.com/griot/internal/doctor"
	"example.com/griot/internal/verb"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/audit"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/messaging/outbox"
	messagingverbs "example.com/griot/messaging/verbs"
	"example.com/griot/operator"
	"example.com/griot/web/webtest"
)

const hostile = `</title><script>alert(1)</script><img src=x onerror=alert(1)>`

// LoginNumber is the number that people write to when they sign in.
const LoginNumber = "22370000099"

// Site is the operator's pages behind a real listener, on both services.
type Site struct {
	*messagingtest.World
	t     testing.TB
	Login *authtest.World
	verbs verb.Verbs

	gateways *gatewaystore.Store
	Pages    *operator.Pages
	Cookie   *http.Cookie // of the session
	Browser  *http.Cookie // of the browser

	Findings []doctor.Finding // of the checks
	Slow     chan struct{}    // the checks end when it is closed; nil: at once
	Checked  atomic.Int64     // runs of the checks
}

// NewSite opens both services on a database.
func NewSite(t testing.TB, d *db.DB) *Site {
	t.Helper()
	s := &Site{World: messagingtest.New(t, d, "free"), t: t, Login: authtest.New(t, d)}
	log := slog.New(slog.DiscardHandler)
	o := gatewaystore.Options{
		DB: d, Key: s.Master, Now: s.Clock.Now, Log: log, InUse: account.OnGateway, Configured: []gatewaystore.Configured{{Name: "fake", Kind: "wire", Settings: json.RawMessage(`{}`)}},
		Drivers: gateway.Registry{"wire": func(json.RawMessage, gateway.Deps) (gateway.Sender, error) { return wire{s.Gateway}, nil }, "smtp": smtp.Open},
	}
	gateways := gatewaystore.New(o)
	if err := gateways.Open(t.Context(), s.Gateways, struct{ gateway.Sink }{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Gateways.Close() })
	record := func(ctx context.Context, action, target string) error {
		event := audit.New(actor.With(ctx, actor.Actor{Type: actor.Operator}), s.Clock.Now(), "", action, target)
		return d.Write(ctx, func(tx *db.Tx) error { return audit.Record(tx, event) })
	}
	s.gateways = gateways
	s.Pages = operator.New(operator.Options{Verbs: func() verb.Verbs { return s.verbs }, Pages: webtest.NewPages(t), Key: s.Master, Now: s.Clock.Now, Log: log, Record: record, Check: s.check, Docs: "http://docs.example/docs", Accounts: "http://api.example/dashboard", Tenants: "http://login.example/dashboard"})
	deployment := &outbox.Deployment{DB: d, Now: s.Clock.Now, Changed: s.Delivery.SeePause}
	options := messagingverbs.Options{Directory: s.Directory, Gateways: gateways, Delivery: s.Delivery, Closing: s.Closing, URL: "http://api.example", LoginNumbers: []string{LoginNumber}}
	var err error
	s.verbs, err = verb.Join(
		s.Login.NewService(t, authtest.Loopback).Verbs(), messagingverbs.Verbs(options), messagingverbs.Webhooks(options, s.Endpoints), messagingverbs.OTP(s.OTP, s.Directory), messagingverbs.Audit(s.Directory),
		messagingverbs.Messages(s.Messages), messagingverbs.Sending(deployment), messagingverbs.HealthVerbs(messagingverbs.HealthOptions{Deployment: deployment, Version: "v1.2.3", Since: s.Clock.Now(), NodeID: s.Delivery.NodeID}),
		s.Pages.Verbs(),
	)
	if err != nil {
		t.Fatal(err)
	}
	s.Serve(s.Pages.Handler())
	return s
}

// wire is the gateway of the test's world as a driver opens it: for SMS, and with a round trip that succeeds.
type wire struct{ *messagingtest.Gateway }

func (w wire) Info() gateway.Info {
	i := w.Gateway.Info()
	i.Channels = []gateway.Channel{gateway.SMS}
	return i
}

func (wire) Probe(context.Context) error { return nil }

// check is the checks of the deployment.
func (s *Site) check(context.Context) doctor.Report {
	s.Checked.Add(1)
	if s.Slow != nil {
		<-s.Slow
	}
	return doctor.Report{Findings: slices.Clone(s.Findings)}
}

// Lived adds data for the pages, with names that contain markup. It returns the pages' addresses.
func (s *Site) Lived() map[string]string {
	s.Store(s.t, s.Waiting())
	s.SignIn()
	shop := Ask[messagingverbs.Account](s, "accounts.create", messagingverbs.AccountInput{Name: hostile, Email: "a-person-with-a-long-name@a-shop-with-a-long-name.example.com", Plan: "starter"})
	Ask[messagingverbs.Invited](s, "members.invite", messagingverbs.InviteInput{OfAccount: messagingverbs.OfAccount{Account: s.Account.ID}, Email: "awa@example.com", Lang: "fr"})
	Ask[messagingverbs.Gateway](s, "gateways.add", messagingverbs.GatewayInput{Name: "a-gateway-with-a-long-name-of-forty-letters", Kind: "wire", Settings: json.RawMessage(`{}`)})
	sender := Ask[messagingverbs.Sender](s, "senders.add", messagingverbs.SenderInput{Channel: "sms", Address: "36000", Gateway: "fake", WarmUp: &messagingverbs.WarmUp{First: 50, Days: 7}})
	paused := Ask[messagingverbs.Sender](s, "senders.add", messagingverbs.SenderInput{Account: shop.ID, Channel: "sms", Address: "36001", Gateway: "fake"})
	Ask[messagingverbs.FoundSender](s, "senders.pause", messagingverbs.ByID{ID: paused.ID})
	Ask[messagingverbs.Endpoint](s, "webhooks.set", messagingverbs.SetInput{OfAccount: messagingverbs.OfAccount{Account: s.Account.ID}, URL: "http://127.0.0.1:9/an-address-that-is-longer-than-a-phone-is-wide/webhooks/griot"})
	Ask[messagingverbs.Event](s, "webhooks.ping", messagingverbs.OfAccount{Account: s.Account.ID})
	s.HoldPrefix("2237600")
	at := "/operator/tenants/" + s.Login.Tenant.ID
	s.Login.NewClient(s.t, tenant.Confidential, tenant.Live)
	s.Login.NewClient(s.t, tenant.Public, tenant.Test)
	Ask[authverbs.Webhook](s, "tenants.webhook.set", authverbs.WebhookInput{OfTenant: authverbs.OfTenant{TenantID: s.Login.Tenant.ID}, URL: "http://127.0.0.1:9/a"})
	Ask[authverbs.NewInvitation](s, "invitations.create", authverbs.InvitationInput{OfTenant: authverbs.OfTenant{TenantID: s.Login.Tenant.ID}, TTLSeconds: 30 * 86400})
	Ask[authverbs.Tenant](s, "tenants.create", authverbs.TenantInput{Name: hostile})
	for _, r := range []account.Request{{Kind: "webhook", Wanted: "https://a-shop-with-a-long-name.example.com/an-address-that-is-longer-than-a-phone-is-wide"}, {Kind: "sms", Wanted: "36002", Note: hostile}} {
		r.AccountID = shop.ID
		if _, err := s.Directory.AddRequest(s.t.Context(), r); err != nil {
			s.t.Fatal(err)
		}
	}
	asked := Ask[[]messagingverbs.Request](s, "requests.list", messagingverbs.Nothing{})
	if asked[0].URL != "" { // of the same millisecond
		slices.Reverse(asked)
	}
	return map[string]string{
		"requests": "/operator/requests", "request": "/operator/requests/" + asked[0].ID, "request-sender": "/operator/do/senders.add?for=request&request=" + asked[0].ID, "request-webhook": "/operator/do/webhooks.set?for=request&request=" + asked[1].ID,
		"request-decline": "/operator/do/requests.decline?request=" + asked[0].ID,
		"audit":           "/operator/audit", "audit-logins": "/operator/audit/logins?tenantId=" + s.Login.Tenant.ID, "lookup": "/operator/messages",
		"tenants": "/operator/tenants", "tenant": at, "signing-keys": "/operator/signing-keys",
		"webhooks": "/operator/webhooks", "webhook": "/operator/webhooks/" + s.Account.ID, "webhook-none": "/operator/webhooks/" + shop.ID, "prefixes": "/operator/prefixes", "release": "/operator/prefixes/release?area=223&account=" + s.Account.ID,
		"gateways": "/operator/gateways", "gateway": "/operator/gateways/fake", "gateway-message": "/operator/do/gateways.send-test?name=fake", "gateway-stored": "/operator/gateways/a-gateway-with-a-long-name-of-forty-letters", "gateway-new": "/operator/do/gateways.add", "gateway-smtp": "/operator/do/gateways.add?kind=smtp", "gateway-orange": "/operator/do/gateways.add?kind=httpsms.orange", "gateway-set": "/operator/do/gateways.set?name=a-gateway-with-a-long-name-of-forty-letters",
		"senders": "/operator/senders", "sender": "/operator/senders/" + sender.ID, "sender-paused": "/operator/senders/" + paused.ID,
		"health": "/operator", "accounts": "/operator/accounts", "accounts-none": "/operator/accounts?text=nobody", "account-set": "/operator/do/accounts.set?account=" + shop.ID, "account-delete": "/operator/do/accounts.delete?account=" + shop.ID, "account": "/operator/accounts/" + s.Account.ID, "account-new": "/operator/accounts/" + shop.ID,
		"plans": "/operator/plans", "plan": "/operator/plans/free", "plan-set": "/operator/do/plans.set?name=free",
		"sender-add": "/operator/do/senders.add", "sender-remove": "/operator/do/senders.remove?id=" + sender.ID,
	}
}

// RefusesButton checks that a button's verb is refused, and that the next page shows why.
func (s *Site) RefusesButton(path, back, why string) {
	s.t.Helper()
	s.Post(path).Leads(s.t, back)
	s.Get(back).Shows(s.t, why)
}

// Refuses checks that a form is shown again with the reason for its refusal and the submitted values.
func (s *Site) Refuses(path, why string, pairs ...string) {
	s.t.Helper()
	got := s.Post(path, pairs...)
	if got.Status != http.StatusBadRequest || !strings.Contains(got.Body, why) {
		s.t.Errorf("%s: %d, want 400 with %q: %s", path, got.Status, why, got.Body)
	}
	for i := 1; i < len(pairs); i += 2 {
		if pairs[i-1] != "confirm" && !strings.Contains(got.Body, `"`+pairs[i]+`"`) && !strings.Contains(got.Body, `>`+pairs[i]+`<`) {
			s.t.Errorf("%s: the form is without %q: %s", path, pairs[i], got.Body)
		}
	}
}

// Send requests a page with the session's cookie.
func (s *Site) Send(method, path string, form url.Values, headers ...string) webtest.Page {
	s.t.Helper()
	cookies := map[string]string{}
	for _, c := range []*http.Cookie{s.Cookie, s.Browser} {
		if c != nil {
			cookies[c.Name] = c.Value
		}
	}
	got := webtest.Send(s.t, s.URL, method, path, form, cookies, headers...)
	for _, c := range got.Cookies {
		switch {
		case strings.HasSuffix(c.Name, "_browser"):
			s.Browser = c
		case strings.HasPrefix(c.Name, "griot_operator"):
			s.Cookie = c
		}
	}
	return got
}

// Get requests a page.
func (s *Site) Get(path string) webtest.Page { s.t.Helper(); return s.Send(http.MethodGet, path, nil) }

// Post sends a form with pairs of names and values.
func (s *Site) Post(path string, pairs ...string) webtest.Page {
	s.t.Helper()
	return s.Send(http.MethodPost, path, webtest.Form(pairs...))
}

// Link returns the token of a new link.
func (s *Site) Link() string {
	s.t.Helper()
	return Ask[operator.Link](s, "pages.open", operator.Nothing{}).Token
}

// SignIn opens a session with a new link.
func (s *Site) SignIn() {
	s.t.Helper()
	s.Post("/operator/sign-in", "token", s.Link()).Leads(s.t, "/operator")
}

// Settings returns the settings of a stored gateway, with their secrets.
func (s *Site) Settings(t testing.TB, name string) json.RawMessage {
	t.Helper()
	_, _, settings, err := s.gateways.Stored(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return settings
}

// Audited returns the operator's events of an action.
func (s *Site) Audited(action string) []messagingverbs.AuditEvent {
	s.t.Helper()
	return Ask[messagingverbs.AuditPage](s, "audit.list", messagingverbs.AuditInput{Action: action, Limit: 100}).Events
}

// Waiting creates a queued message.
func (s *Site) Waiting() *message.Message {
	m := message.New(&message.Request{To: "+22376000001", Address: "22376000001", Channel: gateway.WhatsApp, Content: message.Content{Text: "a secret text"}, Source: "api"}, s.Account.ID, "", s.Clock.Now())
	senders, err := s.Directory.Senders(context.Background(), s.Account.ID)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, sender := range senders {
		if sender.Channel == gateway.WhatsApp {
			m.SenderID, m.From, m.Gateway, m.Status = sender.ID, sender.Address, sender.Gateway, message.Queued
		}
	}
	m.Timeline = message.FirstStep(message.Step{At: db.Ms(s.Clock.Now()), Status: message.Queued, Channel: gateway.WhatsApp, Sender: m.SenderID})
	return m
}

// Happened returns the types of a tenant's audit events, newest first.
func (s *Site) Happened(tenantID string) string {
	s.t.Helper()
	var types []string
	for _, e := range Ask[[]authverbs.Event](s, "events.list", authverbs.EventsInput{TenantID: tenantID, Limit: 100}) {
		if e.Actor != tenant.ActorSystem && e.Type != "dashboard.login" {
			s.t.Errorf("%s is by %s, want the operator", e.Type, e.Actor)
		}
		types = append(types, e.Type)
	}
	return strings.Join(types, " ")
}

// HoldPrefix blocks an account's codes to a prefix, as the breaker does.
func (s *Site) HoldPrefix(prefix string) {
	s.t.Helper()
	now := s.Clock.Now()
	s.Exec(s.t, `INSERT INTO otp_blocks (account_id, prefix, since, until) VALUES ($1, $2, $3, $4)`, s.Account.ID, prefix, db.Ms(now), db.Ms(now.Add(time.Hour)))
	s.Exec(s.t, `INSERT INTO otp_caps (area, hour, sent) VALUES ('country:223', $1, 7000)`, now.Unix()/3600)
}

// Ask runs a verb as `griot admin` does.
func Ask[Out any](s *Site, name string, in any) Out {
	s.t.Helper()
	var out Out
	body, err := json.Marshal(in)
	if err == nil {
		var raw json.RawMessage
		if raw, err = s.verbs.Call(context.Background(), name, body); err == nil {
			err = json.Unmarshal(raw, &out)
		}
	}
	if err != nil {
		s.t.Fatalf("%s: %v", name, err)
	}
	return out
}

package operator_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	authadmin "example.com/griot/auth/admin"
	"example.com/griot/auth/authtest"
	authevents "example.com/griot/auth/events"
	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaystore"
	"example.com/griot/internal/actor"
	"example.com/griot/internal/admin"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/safedial"
	"example.com/griot/internal/webhook"
	"example.com/griot/messaging/account"
	messagingadmin "example.com/griot/messaging/admin"
	"example.com/griot/messaging/audit"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/messaging/otp"
	"example.com/griot/operator"
	"example.com/griot/web"
	"example.com/griot/web/webtest"
)

func TestMain(m *testing.M) { webtest.Main(m, dbtest.Stop) }

// wire is a gateway that takes everything; the states of its connections are the world's.
type wire struct{ gateway.Connector }

func (wire) Info() gateway.Info { return gateway.Info{Channels: []gateway.Channel{gateway.SMS}} }
func (wire) Close() error       { return nil }
func (wire) Send(context.Context, *gateway.Outbound) (gateway.Ack, error) {
	return gateway.Ack{}, nil
}
func (wire) Probe(context.Context) error { return nil }

// site is the operator's pages behind a real listener, on both services.
type site struct {
	*messagingtest.World
	t      testing.TB
	login  *authtest.World
	verbs  admin.Verbs
	pages  *operator.Pages
	url    string
	cookie *http.Cookie // of the session
}

func newSite(t testing.TB, d *db.DB) *site {
	t.Helper()
	pages, err := web.New()
	if err != nil {
		t.Fatal(err)
	}
	s := &site{World: messagingtest.New(t, d, "free"), t: t, login: authtest.New(t, d)}
	log := slog.New(slog.DiscardHandler)
	o := gatewaystore.Options{
		DB: d, Key: s.Master, Now: s.Clock.Now, Log: log, InUse: account.OnGateway, Configured: []gatewaystore.Configured{{Name: "fake", Kind: "wire", Settings: json.RawMessage(`{}`)}},
		Drivers: gateway.Registry{"wire": func(json.RawMessage, gateway.Deps) (gateway.Sender, error) { return wire{s.Gateway}, nil }},
	}
	gateways, open := gatewaystore.New(o), gateway.NewSet(nil)
	if err := gateways.Open(t.Context(), open, struct{ gateway.Sink }{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = open.Close() })
	codes := otp.New(otp.Options{DB: d, Key: s.Master, Engine: s.Engine, Presets: s.Presets, Now: s.Clock.Now, Log: log})
	record := func(ctx context.Context, action, target string) error {
		event := audit.New(actor.With(ctx, actor.Actor{Type: actor.Operator}), s.Clock.Now(), "", action, target)
		return d.Write(ctx, func(tx *db.Tx) error { return audit.Record(tx, event) })
	}
	s.pages = operator.New(operator.Options{Verbs: func() admin.Verbs { return s.verbs }, Pages: pages, Now: s.Clock.Now, Log: log, Record: record})
	endpoints := authevents.NewEndpoints(webhook.Endpoints{DB: d, Key: s.login.Key, Dial: safedial.Options{Loopback: true}, Now: s.Clock.Now, Signal: &webhook.Signal{}})
	s.verbs, err = admin.Join(
		authadmin.Verbs(s.login.Tenants, s.login.NewLogins(), s.login.NewSigner(t), endpoints), messagingadmin.Verbs(messagingadmin.Options{Directory: s.Directory, Gateways: gateways, Engine: s.Engine, URL: "http://api.example"}),
		messagingadmin.Webhooks(d, s.Endpoints), messagingadmin.OTP(codes), messagingadmin.Audit(d, s.Directory), messagingadmin.Messages(d, s.Clock.Now), messagingadmin.Sending(d, s.Clock.Now, s.Engine.SeePause),
		messagingadmin.HealthVerbs(messagingadmin.HealthOptions{DB: d, Now: s.Clock.Now, Version: "v1.2.3", Since: s.Clock.Now(), NodeID: s.Engine.NodeID}), s.pages.Verbs(),
	)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s.pages.Handler())
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

// ask runs a verb as `griot admin` does.
func ask[Out any](s *site, verb string, in any) Out {
	s.t.Helper()
	var out Out
	body, err := json.Marshal(in)
	if err == nil {
		var raw json.RawMessage
		if raw, err = s.verbs.Call(context.Background(), verb, body); err == nil {
			err = json.Unmarshal(raw, &out)
		}
	}
	if err != nil {
		s.t.Fatalf("%s: %v", verb, err)
	}
	return out
}

// send requests a page with the session's cookie.
func (s *site) send(method, path string, form url.Values, headers ...string) webtest.Page {
	s.t.Helper()
	cookies := map[string]string{}
	if s.cookie != nil {
		cookies[s.cookie.Name] = s.cookie.Value
	}
	got := webtest.Send(s.t, s.url, method, path, form, cookies, headers...)
	for _, c := range got.Cookies {
		if strings.HasPrefix(c.Name, "griot_operator") {
			s.cookie = c
		}
	}
	return got
}

func (s *site) get(path string) webtest.Page { s.t.Helper(); return s.send(http.MethodGet, path, nil) }

func (s *site) post(path string, pairs ...string) webtest.Page {
	s.t.Helper()
	return s.send(http.MethodPost, path, webtest.Form(pairs...))
}

// link is the token of a new link.
func (s *site) link() string {
	s.t.Helper()
	return ask[operator.Link](s, "pages.open", operator.Nothing{}).Token
}

func (s *site) signIn() {
	s.t.Helper()
	s.post("/operator/sign-in", "token", s.link()).Leads(s.t, "/operator")
}

// audited returns the operator's events of an action.
func (s *site) audited(action string) []messagingadmin.AuditEvent {
	s.t.Helper()
	return ask[messagingadmin.AuditPage](s, "audit.list", messagingadmin.AuditInput{Action: action, Limit: 100}).Events
}

// waiting is a message that waits for its turn.
func (s *site) waiting() *message.Message {
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

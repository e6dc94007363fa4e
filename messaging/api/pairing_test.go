package api_test

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/waittest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/api"
	"example.com/griot/messaging/messagingtest"
)

// pairPath returns the path for pairing the account's WhatsApp number.
func (p *people) pairPath() string {
	for _, s := range p.Account.Senders {
		if s.Address == messagingtest.WhatsApp {
			return "/api/senders/" + s.ID + "/pair"
		}
	}
	p.t.Fatal("no WhatsApp number")
	return ""
}

// Rules: M173.
func TestPairing(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newPeople(t, d)
		owner, path := p.signIn(ownerEmail), p.pairPath()
		start := func(path, method string) *answer {
			t.Helper()
			return p.do("POST", path, `{"method":"`+method+`"}`, owner, p.origin())
		}
		p.wants(start(path, "qr"), 409, "pairing_unsupported")
		p.Gateway.Pairings.Offered.Store(true)
		p.wants(start(path, "smoke"), 400, "invalid_request")
		a := start(path, "code")
		if a.status != 200 || object(a.body, "pairing", "state") != "waiting" || object(a.body, "pairing", "code") != "ABCD-0001" || object(a.body, "pairing", "qr") != nil || a.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%d %s %v", a.status, a.raw, a.header)
		}
		if a = p.do("DELETE", path, "", owner, p.origin()); a.status != 200 || object(a.body, "pairing", "reason") != "cancelled" || a.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%d %s", a.status, a.raw)
		}
		p.Gateway.Pairings.FailWith(&gateway.Error{Class: gateway.Temporary, Code: "provider_unavailable"})
		if a = start(path, "qr"); a.status != 503 || a.text("code") != "gateway_unavailable" || a.header.Get("Retry-After") == "" {
			t.Errorf("%d %s", a.status, a.raw)
		}
		p.Gateway.Pairings.FailWith(nil)

		// For another account's sender, the error is the same as for a missing one. Only operators manage the platform's senders.
		foreign, err := p.Directory.Create(t.Context(), &account.Spec{Name: "Other", Email: "other@example.com", Plan: "pro", Senders: []account.Sender{{Channel: gateway.WhatsApp, Address: "22370000009", Gateway: "fake"}}})
		if err != nil {
			t.Fatal(err)
		}
		others, err := p.Directory.Senders(t.Context(), foreign.ID)
		if err != nil {
			t.Fatal(err)
		}
		platform, err := p.Directory.Senders(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		absent := start("/api/senders/none/pair", "qr")
		if a := start("/api/senders/"+others[0].ID+"/pair", "qr"); a.status != 404 || a.text("message") != absent.text("message") || a.text("code") != absent.text("code") {
			t.Errorf("a foreign sender: %s, an absent one: %s", a.raw, absent.raw)
		}
		p.wants(start("/api/senders/"+platform[0].ID+"/pair", "qr"), 403, "forbidden")
		p.wants(p.do("GET", "/api/senders/"+others[0].ID+"/pair/events", "", owner), 404, "sender_not_found")
		p.wants(p.do("HEAD", path+"/events", "", owner), 405, "")
		if n := p.Int(t, `SELECT count(*) FROM account_audit_events WHERE actor_email = $1 AND action = 'sender.pairing_started' AND details LIKE '%code%' AND details NOT LIKE '%ABCD%'`, ownerEmail); n != 1 {
			t.Errorf("%d lines in the audit log, want 1", n)
		}
		if strings.Contains(p.Log.String(), "ABCD") || strings.Contains(p.Log.String(), "2@") {
			t.Error("a code is logged")
		}
	})
}

// node starts another process that serves the API with its own listener, until it is stopped.
func (p *people) node() (url string, stop func()) {
	p.t.Helper()
	l, err := (&net.ListenConfig{}).Listen(p.t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		p.t.Fatal(err)
	}
	url = "http://" + l.Addr().String()
	a := p.NewNode(p.t).NewAPI(p.t, func(o *api.Options) { o.URL = url })
	return url, waittest.Run(p.t, func(ctx context.Context) error { return httpx.Serve(ctx, l, a.Handler(), p.Log.Logger()) })
}

// follow opens the stream of a pairing.
func (p *people) follow(url, session string) (*listener, *http.Response) {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, url+p.pairPath()+"/events", nil)
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Cookie", strings.TrimPrefix(session, "Cookie: "))
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	l := &listener{t: p.t, lines: bufio.NewScanner(res.Body), close: func() { _ = res.Body.Close() }}
	p.t.Cleanup(l.close)
	return l, res
}

// wants reads the next event, which must have a state with a QR code.
func (l *listener) wants(state gateway.PairingState, qr string) {
	l.t.Helper()
	if name, data := l.next(); name != "pairing" || data["state"] != string(state) || data["qr"] != qr {
		l.t.Fatalf("got %s %v, want %s %s", name, data, state, qr)
	}
}

// Rules: M173.
func TestPairing_Stream(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newPeople(t, d)
		p.Gateway.Pairings.Offered.Store(true)
		p.Gateway.SetState(messagingtest.WhatsApp, gateway.LoggedOut)
		begin := func(session string) {
			t.Helper()
			if a := p.do("POST", p.pairPath(), `{"method":"qr"}`, session, p.origin()); a.status != 200 {
				t.Fatalf("%d %s", a.status, a.raw)
			}
		}
		url, stop := p.node()
		owner, leaving := p.signIn(ownerEmail), p.signIn(ownerEmail)

		begin(owner)
		first, res := p.follow(url, owner)
		if res.Header.Get("Cache-Control") != "no-store" || res.Header.Get("Content-Type") != "text/event-stream" {
			t.Errorf("headers %v", res.Header)
		}
		first.wants(gateway.PairingWaiting, "2@1")
		p.Gateway.Pairings.Set(messagingtest.WhatsApp, gateway.PairingProgress{State: gateway.PairingWaiting, QR: "2@later", ExpiresAt: p.Clock.Now().Add(20 * time.Second)})
		first.wants(gateway.PairingWaiting, "2@later")

		// A person can have only a few streams: a new one ends the oldest. Streams end with their session.
		second, _ := p.follow(url, leaving)
		second.wants(gateway.PairingWaiting, "2@later")
		third, _ := p.follow(url, owner)
		fourth, _ := p.follow(url, owner)
		if name, _ := first.next(); name != "replaced" {
			t.Errorf("after a fourth stream, the first ends with %s", name)
		}
		first.waitForEnd()
		fourth.wants(gateway.PairingWaiting, "2@later")
		if a := p.do("DELETE", "/api/session", "", leaving, p.origin()); a.status != 200 {
			t.Fatalf("%d %s", a.status, a.raw)
		}
		second.waitForEnd()

		// The end of the pairing is the last event on every stream, and is recorded.
		p.Gateway.Pairings.Set(messagingtest.WhatsApp, gateway.PairingProgress{State: gateway.PairingDone})
		fourth.wants(gateway.PairingDone, "")
		fourth.waitForEnd()
		third.waitForEnd()
		if n := p.Int(t, `SELECT count(*) FROM account_audit_events WHERE action = 'sender.paired'`); n != 1 {
			t.Errorf("%d lines in the audit log, want 1", n)
		}
		if over, _ := p.follow(url, owner); true {
			over.wants(gateway.PairingDone, "")
			over.waitForEnd()
		}

		// The stream ends when the code is too old, and when the server stops.
		begin(owner)
		old, _ := p.follow(url, owner)
		old.wants(gateway.PairingWaiting, "2@2")
		p.Clock.Advance(account.RecentCode)
		old.waitForEnd()
		fresh, _ := p.follow(url, p.signIn(ownerEmail))
		fresh.wants(gateway.PairingWaiting, "2@2")
		go stop()
		fresh.waitForEnd()
		stop()
	})
}

package api_test

import (
	"bufio"
	"context"
	"encoding/json"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/waittest"
)

// streaming serves a service's public side like the program, without the validation of
// exchanges, which would hold a stream.
func (s *service) streaming() (url string, stop func()) {
	s.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.t.Fatal(err)
	}
	return "http://" + l.Addr().String(), waittest.Run(s.t, func(ctx context.Context) error {
		return httpx.Serve(ctx, l, s.auth.Public(), slog.New(slog.DiscardHandler))
	})
}

// stream is an open response of events.
type stream struct {
	t     *testing.T
	resp  *http.Response
	lines *bufio.Scanner
}

func (b *browser) events(t *testing.T, url, loginID string) *stream {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), waittest.Limit) // so that a missing event ends the test
	r := b.request("GET", url+"/authorize/events?loginKeyId="+loginID, "", "Cookie", "svc_sid="+b.cookie)
	resp, err := b.http.Do(r.WithContext(ctx))
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	t.Cleanup(func() { cancel(); _ = resp.Body.Close() })
	return &stream{t, resp, bufio.NewScanner(resp.Body)}
}

// next returns the next line that isn't empty; "" at the end.
func (s *stream) next() string {
	for s.lines.Scan() {
		if line := s.lines.Text(); line != "" {
			return line
		}
	}
	return ""
}

// status reads the next event.
func (s *stream) status() map[string]any {
	s.t.Helper()
	line := s.next()
	for line == ":" {
		line = s.next()
	}
	data, ok := strings.CutPrefix(s.next(), "data: ")
	var m map[string]any
	if err := json.Unmarshal([]byte(data), &m); err != nil || line != "event: status" || !ok {
		s.t.Fatalf("got %q, %q (%v, %v), want a status event", line, data, err, s.lines.Err())
	}
	return m
}

// Rules: L167.
func TestEvents_PushEveryStep(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		s.auth.API.PaceEvents(time.Hour, time.Hour, 10) // so that events only arrive because of a notification
		url, _ := s.streaming()
		a := s.app(tenant.Public, tenant.Test)
		b := s.browser()
		loginID := b.start(a)
		e := b.events(t, url, loginID)
		h := e.resp.Header
		if e.resp.StatusCode != http.StatusOK || h.Get("Content-Type") != "text/event-stream" || h.Get("Cache-Control") != "no-store" || h.Get("X-Request-Id") == "" {
			t.Fatalf("%d %v", e.resp.StatusCode, h)
		}
		if line := e.next(); line != "retry: 2000" {
			t.Errorf("first %q", line)
		}
		polled, pushed := b.poll(loginID), e.status()
		if pushed["status"] != "PENDING" || len(pushed) != len(polled) || pushed["matchingWords"] != polled["matchingWords"] || pushed["expiresAt"] != polled["expiresAt"] {
			t.Errorf("pushed %v, polled %v", pushed, polled)
		}
		b.post("/authorize/activate", map[string]any{"loginKeyId": loginID})
		if got := e.status(); got["status"] != "ACTIVATED" {
			t.Errorf("after activate %v", got)
		}
		b.sandbox(loginID, "22300000001")
		verified := e.status()
		if verified["status"] != "VERIFIED" || verified["redirectUrl"] != b.poll(loginID)["redirectUrl"] {
			t.Errorf("after the proof %v", verified)
		}
		if got := s.exchange("/token", exchange(a, b.code(loginID))); got.status != 201 {
			t.Fatalf("%s", got.body)
		}
		if got := e.status(); got["status"] != "CONSUMED" {
			t.Errorf("after the exchange %v", got)
		}
		if line := e.next(); line != "" {
			t.Errorf("after the end %q", line)
		}
		if got := b.events(t, url, loginID); got.next() == "" || got.status()["status"] != "CONSUMED" || got.next() != "" {
			t.Error("a login that is over has more than one event")
		}
	})
}

func TestEvents_ASecondPhoneAndACancelEndThem(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	s.auth.API.PaceEvents(time.Hour, time.Hour, 10)
	url, _ := s.streaming()
	a := s.app(tenant.Public, tenant.Live)
	for name, end := range map[string]func(words string){
		"a second phone": func(words string) { s.message("other", bob, words) },
		"a cancel":       func(string) { s.message("stop", alice, "Stop") },
	} {
		b := s.browser()
		loginID := b.start(a)
		words := b.words(loginID)
		s.accepted("m "+name, alice, words)
		e := b.events(t, url, loginID)
		e.next()
		if got := e.status(); got["status"] != "VERIFIED" {
			t.Fatalf("%s: %v", name, got)
		}
		end(words)
		if got := e.status(); got["status"] != "EXPIRED" || e.next() != "" {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestEvents_LookAtTheDatabaseAndBeat(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		s.auth.API.PaceEvents(10*time.Millisecond, 10*time.Millisecond, 10)
		url, _ := s.streaming()
		b := s.browser()
		loginID := b.start(s.app(tenant.Public, tenant.Test))
		e := b.events(t, url, loginID)
		e.next()
		e.status()
		if line := e.next(); line != ":" {
			t.Errorf("no sign of life: %q", line)
		}
		s.Clock.Advance(90 * time.Second) // without a notification
		if got := e.status(); got["status"] != "EXPIRED" {
			t.Errorf("%v", got)
		}
	})
}

// Rules: L167.
func TestEvents_AreCountedAndEndWithTheServer(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	s.auth.API.PaceEvents(time.Hour, time.Hour, 3)
	url, stop := s.streaming()
	a := s.app(tenant.Public, tenant.Test)
	b, other := s.browser(), s.browser()
	loginID, otherID := b.start(a), other.start(a)
	open := []*stream{b.events(t, url, loginID), b.events(t, url, loginID)}
	refused := func(b *browser, loginID string) {
		t.Helper()
		e := b.events(t, url, loginID)
		if e.resp.StatusCode != http.StatusTooManyRequests || e.resp.Header.Get("Retry-After") == "" {
			t.Errorf("%d %v", e.resp.StatusCode, e.resp.Header)
		}
	}
	refused(b, loginID) // the limit for a login is two
	open = append(open, other.events(t, url, otherID))
	refused(other, otherID) // the limit for the process is three
	for _, e := range open {
		e.next()
		e.status()
	}
	if n := s.auth.API.OpenEvents(); n != 3 {
		t.Errorf("%d are open, want 3", n)
	}
	stop()
	for _, e := range open {
		if line := e.next(); line != "" || e.lines.Err() != nil {
			t.Errorf("not ended well: %q, %v", line, e.lines.Err())
		}
	}
	if n := s.auth.API.OpenEvents(); n != 0 {
		t.Errorf("%d are still open, want none", n)
	}
}

// Rules: L167.
func TestEvents_AreTheBrowsersOwn(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	b := s.browser()
	loginID := b.start(s.app(tenant.Public, tenant.Test))
	path := "/authorize/events?loginKeyId="
	s.do(s.request("GET", path+loginID, "")).refused(t, 401, "access_denied", "session_missing")
	b.send(b.request("GET", path, "")).refused(t, 400, "invalid_request", "missing_parameter")
	b.send(b.request("GET", path+"x", "")).refused(t, 400, "invalid_request", "malformed_parameter")
	b.send(b.request("GET", path+"01J9ZK3V8Q5W6X7Y8Z9A0B1C2D", "")).refused(t, 401, "access_denied", "session_expired")
	for _, p := range []string{path, "/authorize/page?loginKeyId="} {
		if got := b.send(b.request("HEAD", p+loginID, "")); got.status != http.StatusMethodNotAllowed || got.header.Get("Allow") != "GET" {
			t.Errorf("HEAD %s: %d", p, got.status)
		}
	}
	other := s.browser()
	other.start(s.app(tenant.Public, tenant.Test))
	other.send(other.request("GET", path+loginID, "")).refused(t, 403, "access_denied", "session_mismatch")
}

package api_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"example.com/griot/auth"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

// Anyone can start logins, with up to 2,560 characters of their own. A login that nobody proved answers polls, proofs, and
// returns for an hour after its end. Then it is deleted, also if it was held, activated, or ended early.
// Rules: L34.
func TestSweep_LoginsThatNobodyProved(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		a := s.app(tenant.Public, tenant.Live)
		began := s.Clock.Now()
		heavy := []string{"scope", "openid", "state", strings.Repeat("s", 2048), "nonce", strings.Repeat("n", 512)}
		waiting, activated, held, proved := s.browser(), s.browser(), s.browser(), s.browser()
		ids := map[*browser]string{waiting: waiting.start(a, heavy...), activated: activated.start(a, heavy...), held: held.start(a, heavy...), proved: proved.start(a)}
		words := waiting.words(ids[waiting])
		activated.post("/authorize/activate", map[string]any{"loginKeyId": ids[activated]}).want(t, 201)
		s.taken(true, "held", held.words(ids[held]), hides(awaID))
		s.accepted("m", alice, proved.words(ids[proved]))
		for range 1100 { // several batches, with proved logins between them
			s.browser().start(a)
		}
		sweep := func(at time.Duration) {
			t.Helper()
			s.Clock.Advance(began.Add(at).Sub(s.Clock.Now()))
			if err := s.auth.Logins.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		for _, at := range []time.Duration{90 * time.Second, time.Hour + 90*time.Second} {
			sweep(at)
			for b, loginID := range ids {
				got := b.poll(loginID)
				back, err := url.Parse(text(t, got, "redirectUrl"))
				if got["status"] != "EXPIRED" && b != proved || err != nil || b != proved && back.Query().Get("state") != heavy[3] {
					t.Errorf("%s after its start: %.200v, %v", at, got, err)
				}
			}
			s.verify(s.proof(ids[waiting], fmt.Sprint("late", at), bob, words)).refused(t, 400, "invalid_request", "login_expired")
		}
		sweep(time.Hour + 90*time.Second + time.Millisecond)
		for b, loginID := range ids {
			got := b.send(b.request("GET", "/authorize/status?loginKeyId="+loginID, ""))
			if b == proved {
				got.want(t, 200)
			} else {
				got.refused(t, 401, "access_denied", "session_expired")
			}
		}
		s.verify(s.proof(ids[waiting], "late", bob, words)).refused(t, 400, "invalid_request", "login_unknown")
		if n := s.count(`SELECT count(*) FROM login_sessions`); n != 1 {
			t.Errorf("%d logins are stored, want 1", n)
		}
		next := s.browser()
		nextID := next.start(a, heavy...)
		sweep(2*time.Hour + 5*time.Minute) // a later sweep goes on where the last one ended
		next.send(next.request("GET", "/authorize/status?loginKeyId="+nextID, "")).refused(t, 401, "access_denied", "session_expired")
	})
}

// What a stranger lets Griot store counts for the address, in KiB, and not only the number of logins.
// Rules: L143.
func TestLimits_StartsCountBytes(t *testing.T) {
	for _, tt := range []struct {
		state, nonce string
		starts       int // with a limit of 12
	}{
		{strings.Repeat("s", 512), strings.Repeat("n", 512), 12},
		{strings.Repeat("s", 1024), "n", 6},
		{strings.Repeat("s", 2048), strings.Repeat("n", 512), 4},
		{strings.Repeat("s", 2048), strings.Repeat("é", 512), 4},
		{strings.Repeat("é", 1025), "", 4},
	} {
		for _, byClient := range []bool{false, true} {
			t.Run(fmt.Sprint(len(tt.state), " ", len(tt.nonce), " ", byClient), func(t *testing.T) {
				s := newService(t, dbtest.SQLite(t), func(o *auth.Options) {
					withLimits(o)
					o.Limits.StartAddress.Times = 12
					if byClient {
						o.Limits.StartAddress.Times, o.Limits.StartClientAddress.Times = 100, 12
					}
				})
				a := s.app(tenant.Public, tenant.Test)
				start := func(address string) answer {
					return s.do(from(s.request("GET", authorizeURL(a.ClientID, "scope", "openid", "state", tt.state, "nonce", tt.nonce), ""), address))
				}
				for i := range tt.starts {
					if got := start("192.0.2.1"); got.status != 303 {
						t.Fatalf("login %d: %d %s", i+1, got.status, got.body)
					}
				}
				start("192.0.2.1").refused(t, 429, "access_denied", "rate_limited")
				if got := start("192.0.2.2"); got.status != 303 {
					t.Errorf("another address: %d %s", got.status, got.body)
				}
			})
		}
	}
}

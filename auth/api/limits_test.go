package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/griot/auth"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db/dbtest"
)

// from sets the client address of a request.
func from(r *http.Request, address string) *http.Request {
	r.Header.Set("X-Forwarded-For", address)
	return r
}

// Anyone can know a client's id. Requests from one address are eventually refused, but the client at another
// address isn't.
// Rules: L143.
func TestLimits_UnknownCallersDoNotSwitchAClientOff(t *testing.T) {
	for _, typ := range []tenant.Type{tenant.Public, tenant.Confidential} {
		t.Run(string(typ), func(t *testing.T) {
			s := newService(t, dbtest.SQLite(t), func(o *auth.Options) {
				withLimits(o)
				o.Limits.TokenClient.Times, o.Limits.RevokeClient.Times, o.Limits.IntrospectClient.Times = 20, 20, 20
				o.Limits.PublicClientAddress.Times, o.Limits.RefusedAddress.Times, o.Limits.StartClientAddress.Times = 30, 10, 30
			})
			a := s.app(typ, tenant.Test)
			refused := 0
			for _, path := range []string{"/oauth2/revoke", "/token", "/oauth2/token", "/oauth2/introspect"} {
				for i := range 60 {
					body := fmt.Sprintf(`{"client_id":%q,"code":"01J9ZK3V8Q5W6X7Y8Z9A0B1C2D","redirect_uri":%q,"token":"x"}`, a.ClientID, redirect)
					got := s.do(from(s.request("POST", path, body), fmt.Sprint("192.0.2.", i%20)))
					if got.status == http.StatusTooManyRequests {
						refused++
					}
				}
			}
			for range 40 {
				if s.do(from(s.request("POST", "/oauth2/revoke", `{"client_id":"`+a.ClientID+`","token":"x"}`), "192.0.2.1")).status == http.StatusTooManyRequests {
					refused++
				}
			}
			if refused == 0 {
				t.Error("none of the requests from few addresses were refused, want rate_limited in the end")
			}
			b := s.browser()
			for i := range 100 {
				s.do(from(s.request("GET", authorizeURL(a.ClientID), ""), fmt.Sprint("192.0.2.", i%10)))
			}
			loginID := b.start(a)
			checkProved(t, b.sandbox(loginID, "22300000001"), false)
			got := s.redeemed(a, b.code(loginID))
			token := text(t, got.json(t), "token")
			if typ == tenant.Confidential && !s.active(a, token) {
				t.Error("its own token is not active")
			}
			s.exchange(revokePath, tokenQuery(a, token)).want(t, http.StatusOK)
		})
	}
}

// A client's own budget is charged after it has authenticated itself, by its secret or by its own code or token.
// Rules: L143.
func TestLimits_OwnBudget(t *testing.T) {
	for _, typ := range []tenant.Type{tenant.Public, tenant.Confidential} {
		t.Run(string(typ), func(t *testing.T) {
			s := newService(t, dbtest.SQLite(t), func(o *auth.Options) {
				withLimits(o)
				o.Limits.TokenClient.Times = 2
			})
			a := s.app(typ, tenant.Test)
			var codes []string
			for range 3 {
				b, loginID := s.provedLogin(a, "22300000001")
				codes = append(codes, b.code(loginID))
			}
			for i, code := range codes {
				got := s.exchange("/token", exchange(a, code))
				if i < 2 && got.status != http.StatusCreated {
					t.Errorf("exchange %d: %d %s", i+1, got.status, got.body)
				}
				if i == 2 {
					got.refused(t, 429, "access_denied", "rate_limited")
					if retry := got.header.Get("Retry-After"); retry != "30" {
						t.Errorf("Retry-After %s, want 30", retry)
					}
				}
			}
		})
	}
}

// IPv6 addresses are limited by /64.
// Rules: L143.
func TestLimits_IPv6BySite(t *testing.T) {
	s := newService(t, dbtest.SQLite(t), withLimits)
	sign := func(address string) answer {
		return s.do(from(s.request("POST", "/manage/login", `{"tenantId":"`+s.Tenant.ID+`","key":"`+strings.Repeat("k", 32)+`"}`, "Origin", s.URL), address))
	}
	for i := range 5 {
		sign(fmt.Sprintf("2001:db8:0:1::%x", i)).refused(t, 401, "access_denied", "invitation_invalid")
	}
	sign("2001:db8:0:1:ffff::9").refused(t, 429, "access_denied", "rate_limited")
	sign("2001:db8:0:2::1").refused(t, 401, "access_denied", "invitation_invalid")
}

// Rules: L143.
func TestLimits_LiveLogins(t *testing.T) {
	s := newService(t, dbtest.SQLite(t), func(o *auth.Options) {
		withLimits(o)
		o.Limits.LiveLogins = 3
	})
	a, other := s.app(tenant.Public, tenant.Test), s.app(tenant.Public, tenant.Test)
	for i := range 3 {
		if got := s.do(from(s.request("GET", authorizeURL(a.ClientID), ""), fmt.Sprint("192.0.2.", i))); got.status != http.StatusSeeOther {
			t.Fatalf("login %d: %d %s", i+1, got.status, got.body)
		}
	}
	got := s.do(from(s.request("GET", authorizeURL(a.ClientID), ""), "192.0.2.9"))
	got.refused(t, 429, "access_denied", "rate_limited")
	retry := seconds(t, got)
	if retry < 87*time.Second || retry > 93*time.Second {
		t.Errorf("Retry-After %v; a login lives 90 s", retry)
	}
	s.browser().start(other)
	s.Clock.Advance(retry)
	s.browser().start(a)
}

// seconds reads Retry-After.
func seconds(t testing.TB, a answer) time.Duration {
	t.Helper()
	d, err := time.ParseDuration(a.header.Get("Retry-After") + "s")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

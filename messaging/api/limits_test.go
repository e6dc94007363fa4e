package api_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/limit"
	"example.com/griot/messaging/api"
)

// limited enables the plans' request rates and the limits for sign-in attempts.
func limited(o *api.Options) { o.Limits = new(limit.Defaults()) }

// An IPv6 address is counted by its /64. The limits are settings.
func TestLimits_IPv6BySite(t *testing.T) {
	p := newPeople(t, dbtest.SQLite(t), func(o *api.Options) {
		limited(o)
		o.Limits.TryAddress.Times = 3
	})
	h := p.api.Handler()
	try := func(n int, from string) int {
		r := httptest.NewRequestWithContext(t.Context(), "POST", "/api/session/verify", strings.NewReader(fmt.Sprintf(`{"email":"n%d@example.com","code":"12345"}`, n)))
		r.Header.Set("Origin", p.URL)
		r.RemoteAddr = "[" + from + "]:99"
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Code
	}
	for n := range 3 {
		if got := try(n, fmt.Sprintf("2001:db8:0:1::%x", n)); got != 401 {
			t.Errorf("try %d: %d, want 401", n+1, got)
		}
	}
	if got := try(3, "2001:db8:0:1:ffff::9"); got != 429 {
		t.Errorf("the fourth of a /64: %d, want 429", got)
	}
	if got := try(4, "2001:db8:0:2::1"); got != 401 {
		t.Errorf("another /64: %d, want 401", got)
	}
}

// A caller that is not signed in can send at most 16 KiB.
func TestBodies_OfUnknownCallersAreSmall(t *testing.T) {
	p := newPeople(t, dbtest.SQLite(t))
	for _, path := range []string{"/api/session", "/api/session/verify"} {
		fits := `{"email":"` + strings.Repeat("x", httpx.MaxUnauthenticated-12) + `"}`
		p.wants(p.do("POST", path, fits, p.origin()), 400, "invalid_email")
		p.wants(p.do("POST", path, fits+" ", p.origin()), 413, "payload_too_large")
	}
}

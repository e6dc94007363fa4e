package api_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/griot/auth/api"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/memtest"
)

// Unknown values of client_id use no memory, however long they are.
func TestFlood_UnknownClients(t *testing.T) {
	s := newService(t, dbtest.SQLite(t), withLimits)
	public := s.auth.Public()
	paths := []string{"/token", "/oauth2/token", "/oauth2/introspect", "/oauth2/revoke"}
	long := strings.Repeat("x", httpx.MaxUnauthenticated-200)
	memtest.CheckBounded(t, s, func(n int) {
		if n >= 4000 { // each reads the database
			return
		}
		r := httptest.NewRequestWithContext(t.Context(), "POST", paths[n%4], strings.NewReader(fmt.Sprintf(`{"client_id":"%d-%s","token":"x"}`, n, long)))
		r.RemoteAddr = fmt.Sprintf("192.0.%d.%d:99", n/200%200, n%200)
		w := httptest.NewRecorder()
		if public.ServeHTTP(w, r); w.Code != http.StatusUnauthorized {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
	})
}

// Routes without authentication accept 16 KiB.
// Rules: L4.
func TestBodies_UnauthenticatedAreSmall(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	b := s.browser()
	b.start(s.app(tenant.Public, tenant.Test))
	fits := `{"token":"` + strings.Repeat("x", httpx.MaxUnauthenticated-12) + `"}`
	for _, path := range []string{"/token", "/oauth2/token", "/oauth2/introspect", "/oauth2/revoke", "/manage/login", "/authorize/activate", "/authorize/sandbox", "/authorize/page"} {
		for body, want := range map[string]bool{fits: false, fits + " ": true, fits + strings.Repeat(" ", 1<<20): true} {
			got := b.send(b.request("POST", path, body, "Origin", s.URL))
			if refused := strings.Contains(string(got.body), "body_too_large"); got.status/100 != 4 || refused != want {
				t.Errorf("%s, %d bytes: %d %s; want body_too_large: %v", path, len(body), got.status, got.body, want)
			}
		}
	}
	got := s.do(s.request("POST", s.internalURL+"/internal/verify", fits+" "))
	got.refused(t, 400, "invalid_request", "body_too_large")
}

// The number of open streams is limited, for all clients and for each.
// Rules: L167.
func TestFlood_Streams(t *testing.T) {
	s := api.NewStreams()
	inside := 0
	memtest.CheckBounded(t, s, func(n int) {
		if s.Enter(fmt.Sprint("login-", n), fmt.Sprint("client-", n%7)) {
			inside++
		}
	})
	if inside != 2000 {
		t.Errorf("%d streams are open, want 2000", inside)
	}
	s = api.NewStreams()
	inside = 0
	for n := range 1500 { // one client leaves room for others
		if s.Enter(fmt.Sprint("login-", n), "client") {
			inside++
		}
	}
	if inside != 1000 || !s.Enter("login", "another") {
		t.Errorf("a client has %d streams, want 1000", inside)
	}
}

package api_test

import (
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"example.com/griot/auth"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/waittest"
)

// The responses of a poll from the cache and of one that reads the row are identical to the byte.
// Rules: L46, L48, L50, L54.
func TestStatus_FromMemoryIsAsFromTheRow(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	odd := s.NewTenant(t, `Banque "à <Bamako>" \ & Cie`+"\u2028é")
	for _, owner := range []tenant.Tenant{s.Tenant, odd} {
		for _, mode := range []tenant.Mode{tenant.Test, tenant.Live} {
			b := s.browser()
			b.lang = "fr"
			loginID := b.start(s.NewClientOf(t, owner, tenant.Public, mode))
			if b.post("/authorize/activate", map[string]any{"loginKeyId": loginID}).status != http.StatusCreated && mode == tenant.Live {
				t.Error("not activated")
			}
			path := "/authorize/status?loginKeyId=" + loginID
			for _, wait := range []time.Duration{0, 100 * time.Millisecond, 7 * time.Millisecond} {
				s.Clock.Advance(wait)
				// A second parameter or a second cookie excludes a request from the cache.
				row := b.send(b.request("GET", path+"&x=", ""))
				memory := b.send(b.request("GET", path, ""))
				if memory.status != http.StatusOK || string(memory.body) != string(row.body) {
					t.Errorf("%d %s, from the row %s", memory.status, memory.body, row.body)
				}
				for _, name := range []string{"Content-Type", "Content-Length", "Cache-Control", "X-Content-Type-Options"} {
					if memory.header.Get(name) == "" || memory.header.Get(name) != row.header.Get(name) {
						t.Errorf("%s: %q, from the row %q", name, memory.header.Get(name), row.header.Get(name))
					}
				}
			}
		}
	}
}

// Polls of waiting logins don't need the database; all others do.
func TestStatus_FromMemoryAsksNoDatabase(t *testing.T) {
	d, err := db.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "griot.db"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := newService(t, d, withLimits)
	a := s.app(tenant.Public, tenant.Test)
	b, other := s.browser(), s.browser()
	waits, proven := b.start(a), b.start(a)
	other.start(a)
	checkProved(t, b.sandbox(proven, "22300000001"), false)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	path := "/authorize/status?loginKeyId="
	for range 2 {
		if got := b.poll(waits); got["status"] != "PENDING" {
			t.Errorf("%v", got)
		}
	}
	b.send(b.request("GET", path+proven, "")).refused(t, 503, "access_denied", "storage_unavailable")
	other.send(b.request("GET", path+waits, "")).refused(t, 503, "access_denied", "storage_unavailable")
	s.do(s.request("GET", path+waits, "")).refused(t, 401, "access_denied", "session_missing")
	for range 3 {
		b.poll(waits)
	}
	b.send(b.request("GET", path+waits, "")).refused(t, 429, "access_denied", "rate_limited")
	s.Clock.Advance(90 * time.Second) // the row might redirect to the application
	b.send(b.request("GET", path+waits, "")).refused(t, 503, "access_denied", "storage_unavailable")
}

// Two nodes of one service. The message arrives at the other one.
// Rules: L54.
func TestStatus_AnotherNodesProofShows(t *testing.T) {
	d := dbtest.Postgres(t)
	node := func(o *auth.Options) { o.Now = clock.System }
	s, other := newService(t, d, node), newService(t, d, node)
	waittest.Run(t, s.run)
	b := s.browser()
	loginID := b.start(s.app(tenant.Public, tenant.Test))
	words := b.words(loginID)
	for range 3 {
		if got := b.poll(loginID)["status"]; got != "PENDING" {
			t.Errorf("before the proof: %v, want PENDING", got)
		}
	}
	if !other.message("m1", alice, words) {
		t.Fatal("the message was not accepted")
	}
	waittest.Eventually(t, "VERIFIED", func() string { return text(t, b.poll(loginID), "status") })
	if got := b.poll(loginID); got["redirectUrl"] == nil {
		t.Errorf("got %v, want a redirectUrl", got)
	}
}

// An id with the same ending as a waiting login's is another login. It is refused like an unknown one, from the cache
// and from the row.
// Rules: L34.
func TestStatus_ComparesTheWholeID(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		b := s.browser()
		loginID := b.start(s.app(tenant.Public, tenant.Test))
		b.visit("/authorize/status?loginKeyId="+loginID).must(t, http.StatusOK) // caches it
		for _, begin := range []string{"01ARZ3NDEK", "0000000000"} {
			for range 2 {
				b.send(b.request("GET", "/authorize/status?loginKeyId="+begin+loginID[len(begin):], "")).refused(t, http.StatusUnauthorized, "access_denied", "session_expired")
			}
		}
		b.visit("/authorize/status?loginKeyId="+loginID).must(t, http.StatusOK)
	})
}

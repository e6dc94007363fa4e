package login_test

import (
	"sync"
	"testing"
	"time"

	"griot/auth/login"
	"griot/auth/tenant"
	"griot/internal/clock"
	"griot/internal/db"
	"griot/internal/db/dbtest"
	"griot/internal/i18n"
	"griot/internal/id"
	"griot/internal/memtest"
)

// refresh makes PostgreSQL's nodes use their cache, as Run does.
func (h *service) refresh(t *testing.T) {
	t.Helper()
	if err := h.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func (h *service) begin(t *testing.T) (sessionID, token string) {
	t.Helper()
	sessionID, token, err := h.Start(t.Context(), login.Request{Client: h.client, RedirectURI: "https://app.example/cb", State: "0123456789abcdef", Lang: i18n.FR})
	if err != nil {
		t.Fatal(err)
	}
	return sessionID, token
}

// read is what a poll does that isn't answered from the cache.
func (h *service) read(t *testing.T, sessionID, token string) login.View {
	t.Helper()
	session, err := h.Owned(t.Context(), sessionID, []string{token})
	if err != nil {
		t.Fatal(err)
	}
	v, err := h.HandBack(t.Context(), session)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// proveOn proves a login on a node.
func (h *service) proveOn(t *testing.T, node *login.Service, sessionID, words string) {
	t.Helper()
	if _, err := node.Prove(t.Context(), login.Proof{SessionID: sessionID, Phone: "22376543210", Words: words, Provider: login.Sandbox}); err != nil {
		t.Error(err)
	}
}

func TestWaiting_EqualsTheRow(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		h := newService(t, d)
		h.refresh(t)
		sessionID, token := h.begin(t)
		v := h.read(t, sessionID, token)
		same := func(want login.Status) {
			t.Helper()
			expected := login.Waiting{Status: want, Mode: tenant.Test, Words: v.Session.Words, TenantName: "Tenant", ExpiresAt: v.Session.ExpiresAt, At: h.clock.Now()}
			if got, ok := h.Waiting(sessionID, []string{"another login's", token}); !ok || got != expected {
				t.Errorf("cached (%v): %+v, want %+v", ok, got, expected)
			}
		}
		same(login.Pending)
		if _, ok := h.Waiting(sessionID, []string{"another login's"}); ok {
			t.Error("another browser gets the login")
		}
		if _, ok := h.Waiting(sessionID, nil); ok {
			t.Error("a request without a cookie gets the login")
		}
		if _, err := h.Activate(t.Context(), v.Session, i18n.EN, tenant.Caller{}); err != nil {
			t.Fatal(err)
		}
		if _, ok := h.Waiting(sessionID, []string{token}); ok {
			t.Error("the login is cached after a change, want it evicted")
		}
		if got := h.read(t, sessionID, token).Status; got != login.Activated {
			t.Errorf("status %s, want ACTIVATED", got)
		}
		same(login.Activated)
		h.clock.Advance(89 * time.Second)
		h.refresh(t)
		h.read(t, sessionID, token)
		h.clock.Advance(999 * time.Millisecond)
		same(login.Activated)
		h.clock.Advance(time.Millisecond)
		if _, ok := h.Waiting(sessionID, []string{token}); ok {
			t.Error("the login is cached after it expired")
		}
	})
}

// A poll that follows a proof sees it, however many polls read the row meanwhile.
func TestWaiting_APollAfterTheProofSeesIt(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		h := newService(t, d)
		h.refresh(t)
		for range 20 {
			sessionID, token := h.begin(t)
			words := h.read(t, sessionID, token).Session.Words
			stop := make(chan struct{})
			var wg sync.WaitGroup
			for range 4 {
				wg.Go(func() {
					for {
						select {
						case <-stop:
							return
						default:
						}
						if _, err := h.Owned(t.Context(), sessionID, []string{token}); err != nil {
							t.Error(err)
						}
						h.Waiting(sessionID, []string{token})
					}
				})
			}
			h.proveOn(t, h.Service, sessionID, words)
			for range 20 {
				if w, ok := h.Waiting(sessionID, []string{token}); ok {
					t.Errorf("after the proof the cache has %s, want nothing", w.Status)
				}
			}
			close(stop)
			wg.Wait()
			if v := h.read(t, sessionID, token); v.Status != login.Verified || v.RedirectURL == "" {
				t.Errorf("after the proof: %s, redirect %q; want VERIFIED with a redirect", v.Status, v.RedirectURL)
			}
		}
	})
}

// A node that didn't start the login caches it at its first poll.
func TestWaiting_OfAnotherNode(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		h := newService(t, d)
		other := &service{Service: login.New(login.Options{DB: d, Key: h.key, Now: h.clock.Now, Issuer: "https://login.example"}), clock: h.clock, client: h.client}
		h.refresh(t)
		other.refresh(t)
		sessionID, token := h.begin(t)
		if _, ok := other.Waiting(sessionID, []string{token}); ok {
			t.Error("cached before it was read")
		}
		if v := other.read(t, sessionID, token); v.Status != login.Pending {
			t.Errorf("status %s, want PENDING", v.Status)
		}
		if _, ok := other.Waiting(sessionID, []string{token}); !ok {
			t.Error("not cached after it was read")
		}
	})
}

// What another node changes is evicted by a refresh; a node that can't refresh reads the database.
func TestWaiting_OtherNodesChangeLogins(t *testing.T) {
	d := dbtest.Postgres(t)
	h := newService(t, d)
	other := login.New(login.Options{DB: d, Key: h.key, Now: h.clock.Now, Issuer: "https://login.example"})
	sessionID, token := h.begin(t)
	words := h.read(t, sessionID, token).Session.Words
	cached := func() bool {
		_, ok := h.Waiting(sessionID, []string{token})
		return ok
	}
	if cached() {
		t.Error("the cache is used before the first refresh")
	}
	h.refresh(t)
	if !cached() {
		t.Error("the cache is not used after a refresh")
	}
	h.clock.Advance(time.Second)
	if cached() {
		t.Error("the cache is used a second after the last refresh")
	}
	h.refresh(t)
	h.clock.Advance(900 * time.Millisecond)
	h.proveOn(t, other, sessionID, words)
	h.clock.Advance(900 * time.Millisecond)
	h.refresh(t)
	if cached() {
		t.Error("the login is cached after another node's proof")
	}
	if v := h.read(t, sessionID, token); v.Status != login.Verified {
		t.Errorf("status %s, want VERIFIED", v.Status)
	}
}

// On PostgreSQL, a change without an event is noticed too, because entries are dropped after half a minute.
func TestWaiting_IsReadAgain(t *testing.T) {
	d := dbtest.Postgres(t)
	h := newService(t, d)
	sessionID, token := h.begin(t)
	if err := d.Write(t.Context(), func(tx *db.Tx) error {
		_, err := tx.Exec(`UPDATE login_sessions SET status = 'EXPIRED' WHERE id = $1`, sessionID)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	h.clock.Advance(30*time.Second - time.Millisecond)
	h.refresh(t)
	if _, ok := h.Waiting(sessionID, []string{token}); !ok {
		t.Error("not cached after less than 30 seconds")
	}
	h.clock.Advance(time.Millisecond)
	if _, ok := h.Waiting(sessionID, []string{token}); ok {
		t.Error("cached after 30 seconds")
	}
	if v := h.read(t, sessionID, token); v.Status != login.Expired {
		t.Errorf("status %s, want EXPIRED", v.Status)
	}
}

// A poll reads the row, the words come in, and only then the poll caches what it read.
func TestWaiting_AStaleRowIsNotCached(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	var cache login.WaitingCache
	sessionID := id.New(now)
	put := cache.Read(sessionID, now)
	cache.Evict(sessionID)
	if put(); cache.Len() != 0 {
		t.Errorf("%d logins cached that were read before the change, want none", cache.Len())
	}
	if cache.Put(sessionID, now); cache.Len() != 1 {
		t.Errorf("%d logins cached that were read after the change, want 1", cache.Len())
	}
}

// Two polls are handed the code at once: the first one's time counts.
func TestHandBack_TheFirstStartsTheCodesTime(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		h := newService(t, d)
		sessionID, token := h.begin(t)
		h.proveOn(t, h.Service, sessionID, h.read(t, sessionID, token).Session.Words)
		session, err := h.Owned(t.Context(), sessionID, []string{token})
		if err != nil {
			t.Fatal(err)
		}
		first, err := h.HandBack(t.Context(), session)
		if err != nil {
			t.Fatal(err)
		}
		h.clock.Advance(30 * time.Second)
		second, err := h.HandBack(t.Context(), session) // which read its row before the first one wrote
		if err != nil || second.Status != login.Verified || second.RedirectURL != first.RedirectURL {
			t.Errorf("second hand-back: %v, %s, %s; want VERIFIED, %s", err, second.Status, second.RedirectURL, first.RedirectURL)
		}
		h.clock.Advance(30 * time.Second)
		if v := h.read(t, sessionID, token); v.Status != login.Expired {
			t.Errorf("60 seconds after the first hand-back: %s, want EXPIRED", v.Status)
		}
	})
}

func TestWaiting_CacheIsBounded(t *testing.T) {
	c := clock.NewFake(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	var cache login.WaitingCache
	fill := func(n int) {
		for range n {
			cache.Put(id.New(c.Now()), c.Now())
		}
	}
	const most = 64 * 4096
	fill(most + most/4)
	if n := cache.Len(); n > most || n < most/2 {
		t.Errorf("%d logins are cached, want %d to %d", n, most/2, most)
	}
	c.Advance(2 * time.Minute) // all of them have expired
	fill(20_000)
	if n := cache.Len(); n > 20_000+64 {
		t.Errorf("%d logins are cached, want at most %d: the others have expired", n, 20_000+64)
	}
}

// Anybody may begin logins.
func TestWaiting_FloodOfLogins(t *testing.T) {
	c := clock.NewFake(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	var cache login.WaitingCache
	memtest.CheckBounded(t, &cache, func(int) { cache.Put(id.New(c.Now()), c.Now()) })
	if n := cache.Len(); n < memtest.Flood*9/10 {
		t.Errorf("%d logins are cached, want at least %d: the polls of others read the database", n, memtest.Flood*9/10)
	}
}

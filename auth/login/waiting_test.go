package login_test

import (
	"sync"
	"testing"
	"time"

	"example.com/griot/auth/authtest"
	"example.com/griot/auth/login"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/i18n"
	"example.com/griot/internal/id"
	"example.com/griot/internal/memtest"
)

// refresh makes PostgreSQL's nodes use their cache, like Run.
func (s *service) refresh(t *testing.T) {
	t.Helper()
	if err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// read performs a poll that isn't served from the cache.
func (s *service) read(t *testing.T, sessionID, token string) login.View {
	t.Helper()
	session, err := s.Owned(t.Context(), sessionID, []string{token})
	if err != nil {
		t.Fatal(err)
	}
	v, err := s.HandBack(t.Context(), session)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// proveOn proves a login on a node.
func (s *service) proveOn(t *testing.T, node *login.Service, sessionID, words string) {
	t.Helper()
	if _, err := node.Prove(t.Context(), login.Proof{SessionID: sessionID, Phone: "22376543210", Words: words, Provider: login.Sandbox}); err != nil {
		t.Error(err)
	}
}

// Rules: L54, L70.
func TestWaiting_EqualsTheRow(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		s.refresh(t)
		sessionID, token := s.begin(t)
		v := s.read(t, sessionID, token)
		same := func(want login.Status) {
			t.Helper()
			expected := login.Waiting{Status: want, Mode: tenant.Test, Words: v.Session.Words, TenantName: authtest.TenantName, ClientID: v.Session.ClientID, Host: "app.example", ExpiresAt: v.Session.ExpiresAt, At: s.Clock.Now()}
			if got, ok := s.Waiting(sessionID, []string{"another login's", token}); !ok || got != expected {
				t.Errorf("cached (%v): %+v, want %+v", ok, got, expected)
			}
		}
		same(login.Pending)
		if _, ok := s.Waiting(sessionID, []string{"another login's"}); ok {
			t.Error("another browser gets the login")
		}
		if _, ok := s.Waiting("01ARZ3NDEK"+sessionID[10:], []string{token}); ok {
			t.Error("an id that only ends like the login's gets the login")
		}
		if _, ok := s.Waiting(sessionID, nil); ok {
			t.Error("a request without a cookie gets the login")
		}
		if _, err := s.Activate(t.Context(), v.Session, i18n.EN, tenant.Caller{}); err != nil {
			t.Fatal(err)
		}
		if _, ok := s.Waiting(sessionID, []string{token}); ok {
			t.Error("the login is cached after a change, want it evicted")
		}
		if got := s.read(t, sessionID, token).Status; got != login.Activated {
			t.Errorf("status %s, want ACTIVATED", got)
		}
		same(login.Activated)
		s.Clock.Advance(89 * time.Second)
		s.refresh(t)
		s.read(t, sessionID, token)
		s.Clock.Advance(999 * time.Millisecond)
		same(login.Activated)
		s.Clock.Advance(time.Millisecond)
		if _, ok := s.Waiting(sessionID, []string{token}); ok {
			t.Error("the login is cached after it expired")
		}
	})
}

// A poll after a proof sees it, even if many polls read the row at the same time.
// Rules: L54.
func TestWaiting_APollAfterTheProofSeesIt(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		s.refresh(t)
		for range 20 {
			sessionID, token := s.begin(t)
			words := s.read(t, sessionID, token).Session.Words
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
						if _, err := s.Owned(t.Context(), sessionID, []string{token}); err != nil {
							t.Error(err)
						}
						s.Waiting(sessionID, []string{token})
					}
				})
			}
			s.proveOn(t, s.Service, sessionID, words)
			for range 20 {
				if w, ok := s.Waiting(sessionID, []string{token}); ok {
					t.Errorf("after the proof the cache has %s, want nothing", w.Status)
				}
			}
			close(stop)
			wg.Wait()
			if v := s.read(t, sessionID, token); v.Status != login.Verified || v.RedirectURL == "" {
				t.Errorf("after the proof: %s, redirect %q; want VERIFIED with a redirect", v.Status, v.RedirectURL)
			}
		}
	})
}

// A node that didn't start the login caches it at its first poll.
func TestWaiting_OfAnotherNode(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		other := &service{s.World, s.NewLogins(), s.client}
		s.refresh(t)
		other.refresh(t)
		sessionID, token := s.begin(t)
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

// A refresh evicts the changes of another node. A node that can't refresh reads the database.
func TestWaiting_OtherNodesChangeLogins(t *testing.T) {
	d := dbtest.Postgres(t)
	s := newService(t, d)
	other := s.NewLogins()
	sessionID, token := s.begin(t)
	words := s.read(t, sessionID, token).Session.Words
	cached := func() bool {
		_, ok := s.Waiting(sessionID, []string{token})
		return ok
	}
	if cached() {
		t.Error("the cache is used before the first refresh")
	}
	s.refresh(t)
	if !cached() {
		t.Error("the cache is not used after a refresh")
	}
	s.Clock.Advance(time.Second)
	if cached() {
		t.Error("the cache is used a second after the last refresh")
	}
	s.refresh(t)
	s.Clock.Advance(900 * time.Millisecond)
	s.proveOn(t, other, sessionID, words)
	s.Clock.Advance(900 * time.Millisecond)
	s.refresh(t)
	if cached() {
		t.Error("the login is cached after another node's proof")
	}
	if v := s.read(t, sessionID, token); v.Status != login.Verified {
		t.Errorf("status %s, want VERIFIED", v.Status)
	}
}

// On PostgreSQL, a change without an event is also noticed, because entries expire after half a minute.
func TestWaiting_IsReadAgain(t *testing.T) {
	d := dbtest.Postgres(t)
	s := newService(t, d)
	sessionID, token := s.begin(t)
	s.Exec(t, `UPDATE login_sessions SET status = 'EXPIRED' WHERE id = $1`, sessionID)
	s.Clock.Advance(30*time.Second - time.Millisecond)
	s.refresh(t)
	if _, ok := s.Waiting(sessionID, []string{token}); !ok {
		t.Error("not cached after less than 30 seconds")
	}
	s.Clock.Advance(time.Millisecond)
	if _, ok := s.Waiting(sessionID, []string{token}); ok {
		t.Error("cached after 30 seconds")
	}
	if v := s.read(t, sessionID, token); v.Status != login.Expired {
		t.Errorf("status %s, want EXPIRED", v.Status)
	}
}

// A poll reads the row, then the words arrive, and only then the poll caches the row.
func TestWaiting_AStaleRowIsNotCached(t *testing.T) {
	now := authtest.Start
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

// Two polls get the code at the same time: the first one's time counts.
// Rules: L61.
func TestHandBack_TheFirstStartsTheCodesTime(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		sessionID, token := s.begin(t)
		s.proveOn(t, s.Service, sessionID, s.read(t, sessionID, token).Session.Words)
		session, err := s.Owned(t.Context(), sessionID, []string{token})
		if err != nil {
			t.Fatal(err)
		}
		first, err := s.HandBack(t.Context(), session)
		if err != nil {
			t.Fatal(err)
		}
		s.Clock.Advance(30 * time.Second)
		second, err := s.HandBack(t.Context(), session) // it read its row before the first one wrote
		if err != nil || second.Status != login.Verified || second.RedirectURL != first.RedirectURL {
			t.Errorf("second hand-back: %v, %s, %s; want VERIFIED, %s", err, second.Status, second.RedirectURL, first.RedirectURL)
		}
		s.Clock.Advance(30 * time.Second)
		if v := s.read(t, sessionID, token); v.Status != login.Expired {
			t.Errorf("60 seconds after the first hand-back: %s, want EXPIRED", v.Status)
		}
	})
}

// A login that was proved before a rotation of the master key is handed back with the same code afterward.
// Rules: L60.
func TestHandBack_AcrossARotationOfTheMasterKey(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		sessionID, token := s.begin(t)
		s.proveOn(t, s.Service, sessionID, s.read(t, sessionID, token).Session.Words)
		fresh := authtest.NewKey(t)
		both := fresh.WithPrevious(s.Key)
		after := s.NewLogins(func(o *login.Options) { o.Key = both })
		before := s.read(t, sessionID, token)
		if !both.SealWith(fresh.Name()) {
			t.Fatal("the new key is not known")
		}
		session, err := after.Owned(t.Context(), sessionID, []string{token})
		if err != nil {
			t.Fatal(err)
		}
		if v, err := after.HandBack(t.Context(), session); err != nil || v.RedirectURL != before.RedirectURL || v.RedirectURL == "" {
			t.Errorf("handed back with %s, %v, want %s", v.RedirectURL, err, before.RedirectURL)
		}
	})
}

func TestWaiting_CacheIsBounded(t *testing.T) {
	c := clock.NewFake(authtest.Start)
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

// Anyone can start logins.
func TestWaiting_FloodOfLogins(t *testing.T) {
	c := clock.NewFake(authtest.Start)
	var cache login.WaitingCache
	memtest.CheckBounded(t, &cache, func(int) { cache.Put(id.New(c.Now()), c.Now()) })
	if n := cache.Len(); n < memtest.Flood*9/10 {
		t.Errorf("%d logins are cached, want at least %d: the polls of others read the database", n, memtest.Flood*9/10)
	}
}

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

// fresh makes PostgreSQL's nodes believe what they remember, as Run does.
func (h *service) fresh(t *testing.T) {
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

// read is what a poll does that isn't answered from memory.
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

func (h *service) proveAs(t *testing.T, sessionID, words string, door *login.Service) {
	t.Helper()
	if _, err := door.Prove(t.Context(), login.Proof{SessionID: sessionID, Phone: "22376543210", Words: words, Provider: login.Sandbox}); err != nil {
		t.Error(err)
	}
}

func TestWaiting_SaysWhatTheRowSays(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		h := newService(t, d)
		h.fresh(t)
		sessionID, token := h.begin(t)
		v := h.read(t, sessionID, token)
		same := func(want login.Status) {
			t.Helper()
			got, ok := h.Waiting(sessionID, []string{"another login's", token})
			if !ok || got != (login.Waiting{Status: want, Mode: tenant.Test, Words: v.Session.Words, TenantName: "Tenant", ExpiresAt: v.Session.ExpiresAt, At: h.clock.Now()}) {
				t.Errorf("remembered: %v, %+v", ok, got)
			}
		}
		same(login.Pending)
		if _, ok := h.Waiting(sessionID, []string{"another login's"}); ok {
			t.Error("told to another browser")
		}
		if _, ok := h.Waiting(sessionID, nil); ok {
			t.Error("told without a cookie")
		}
		if _, err := h.Activate(t.Context(), v.Session, i18n.EN, tenant.Caller{}); err != nil {
			t.Fatal(err)
		}
		if _, ok := h.Waiting(sessionID, []string{token}); ok {
			t.Error("still PENDING for polls")
		}
		if h.read(t, sessionID, token).Status != login.Activated {
			t.Error("not ACTIVATED")
		}
		same(login.Activated)
		h.clock.Advance(89 * time.Second)
		h.fresh(t)
		h.read(t, sessionID, token)
		h.clock.Advance(999 * time.Millisecond)
		same(login.Activated)
		h.clock.Advance(time.Millisecond)
		if _, ok := h.Waiting(sessionID, []string{token}); ok {
			t.Error("expired, and waits")
		}
	})
}

// A poll that follows a proof sees it, however many polls read the row meanwhile.
func TestWaiting_APollAfterTheProofSeesIt(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		h := newService(t, d)
		h.fresh(t)
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
			h.proveAs(t, sessionID, words, h.Service)
			for range 20 {
				if w, ok := h.Waiting(sessionID, []string{token}); ok {
					t.Errorf("after the proof: %s", w.Status)
				}
			}
			close(stop)
			wg.Wait()
			if v := h.read(t, sessionID, token); v.Status != login.Verified || v.RedirectURL == "" {
				t.Errorf("after the proof: %s", v.Status)
			}
		}
	})
}

// A node that was started later, or that didn't start the login, learns of it by its first poll.
func TestWaiting_OfAnotherNode(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		h := newService(t, d)
		other := &service{Service: login.New(login.Options{DB: d, Key: h.key, Now: h.clock.Now, Issuer: "https://login.example"}), clock: h.clock, client: h.client}
		h.fresh(t)
		other.fresh(t)
		sessionID, token := h.begin(t)
		if _, ok := other.Waiting(sessionID, []string{token}); ok {
			t.Error("known before it was read")
		}
		if v := other.read(t, sessionID, token); v.Status != login.Pending {
			t.Error(v.Status)
		}
		if _, ok := other.Waiting(sessionID, []string{token}); !ok {
			t.Error("not remembered")
		}
	})
}

// What another node does is known after a refresh; a node that can't refresh asks the database.
func TestWaiting_OtherNodesMoveLogins(t *testing.T) {
	d := dbtest.Postgres(t)
	h := newService(t, d)
	other := login.New(login.Options{DB: d, Key: h.key, Now: h.clock.Now, Issuer: "https://login.example"})
	sessionID, token := h.begin(t)
	words := h.read(t, sessionID, token).Session.Words
	waits := func() bool {
		_, ok := h.Waiting(sessionID, []string{token})
		return ok
	}
	if waits() {
		t.Error("believed before the other nodes were heard of")
	}
	h.fresh(t)
	if !waits() {
		t.Error("not believed after a refresh")
	}
	h.clock.Advance(time.Second)
	if waits() {
		t.Error("believed a second after the last refresh")
	}
	h.fresh(t)
	h.clock.Advance(900 * time.Millisecond)
	h.proveAs(t, sessionID, words, other)
	h.clock.Advance(900 * time.Millisecond)
	h.fresh(t)
	if waits() {
		t.Error("another node's proof was not noticed")
	}
	if v := h.read(t, sessionID, token); v.Status != login.Verified {
		t.Error(v.Status)
	}
}

// Even what nobody told is noticed: on PostgreSQL, where somebody else may have done it.
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
	h.fresh(t)
	if _, ok := h.Waiting(sessionID, []string{token}); !ok {
		t.Error("forgotten early")
	}
	h.clock.Advance(time.Millisecond)
	if _, ok := h.Waiting(sessionID, []string{token}); ok {
		t.Error("believed for too long")
	}
	if v := h.read(t, sessionID, token); v.Status != login.Expired {
		t.Error(v.Status)
	}
}

// A poll reads the row, the words come in, and only then the poll remembers what it read.
func TestWaiting_ARowReadBeforeTheMoveIsNotKept(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	var room login.Room
	sessionID := id.New(now)
	keep := room.Read(sessionID, now)
	room.Forget(sessionID)
	if keep(); room.Len() != 0 {
		t.Error("what was read before the move is remembered after it")
	}
	if room.Keep(sessionID, now); room.Len() != 1 {
		t.Error("what was read after the move is not remembered")
	}
}

// Two polls are handed the code at once: the first one's time counts.
func TestHandBack_TheFirstStartsTheCodesTime(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		h := newService(t, d)
		sessionID, token := h.begin(t)
		h.proveAs(t, sessionID, h.read(t, sessionID, token).Session.Words, h.Service)
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
			t.Errorf("%v: %s, %s", err, second.Status, second.RedirectURL)
		}
		h.clock.Advance(30 * time.Second)
		if v := h.read(t, sessionID, token); v.Status != login.Expired {
			t.Errorf("60 seconds after the first hand-back: %s", v.Status)
		}
	})
}

func TestWaiting_MemoryIsBounded(t *testing.T) {
	c := clock.NewFake(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	var room login.Room
	fill := func(n int) {
		for range n {
			room.Keep(id.New(c.Now()), c.Now())
		}
	}
	const most = 64 * 4096
	fill(most + most/4)
	if n := room.Len(); n > most || n < most/2 {
		t.Errorf("%d logins are remembered", n)
	}
	c.Advance(2 * time.Minute) // all of them have expired
	fill(20_000)
	if n := room.Len(); n > 20_000+64 {
		t.Errorf("%d logins are remembered, most of them expired", n)
	}
}

// Anybody may begin logins.
func TestWaiting_FloodOfLogins(t *testing.T) {
	c := clock.NewFake(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	var room login.Room
	memtest.CheckBounded(t, &room, func(int) { room.Keep(id.New(c.Now()), c.Now()) })
	if n := room.Len(); n < memtest.Flood*9/10 {
		t.Errorf("only %d logins are remembered: the others' polls read the database", n)
	}
}

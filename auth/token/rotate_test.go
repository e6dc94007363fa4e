package token_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"griot/auth/token"
	"griot/internal/clock"
	"griot/internal/db"
	"griot/internal/db/dbtest"
	"griot/internal/seal"
)

func TestStatusTable(t *testing.T) {
	want := []string{
		"activate: next -> active", "relieve: active -> previous", "retire: previous -> retired",
		"revoke: next -> retired", "revoke: active -> retired", "revoke: previous -> retired",
	}
	if got := token.Steps(); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%q", got)
	}
}

// fleet is several nodes on one database.
type fleet struct {
	t      *testing.T
	db     *db.DB
	master *seal.Key
	clock  *clock.Fake
}

func newFleet(t *testing.T, d *db.DB) *fleet {
	t.Helper()
	return &fleet{t, d, masterKey(t), clock.NewFake(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))}
}

func (f *fleet) node() *token.Signer {
	f.t.Helper()
	s, err := token.Open(f.t.Context(), f.db, f.master, f.clock.Now)
	if err != nil {
		f.t.Fatal(err)
	}
	return s
}

func (f *fleet) tend(nodes ...*token.Signer) {
	f.t.Helper()
	for _, s := range nodes {
		if err := s.Maintain(f.t.Context()); err != nil {
			f.t.Fatal(err)
		}
	}
}

// claims of a token that is given now.
func (f *fleet) claims() *token.Claims {
	at := f.clock.Now().Unix()
	return &token.Claims{Issuer: "https://login.example", Subject: "someone", IssuedAt: at, NotBefore: at, Expires: at + 900, ID: "jti"}
}

// sign returns a token and the kid that signed it.
func (f *fleet) sign(s *token.Signer) (raw, kid string) {
	f.t.Helper()
	raw, err := s.Sign(f.t.Context(), f.claims())
	if err != nil {
		f.t.Fatal(err)
	}
	parsed, err := jwt.ParseSigned(raw, []jose.SignatureAlgorithm{jose.RS256})
	if err != nil {
		f.t.Fatal(err)
	}
	return raw, parsed.Headers[0].KeyID
}

func kids(s *token.Signer) []string {
	var list []string
	for _, k := range s.JWKS().Keys {
		list = append(list, k.Kid)
	}
	return list
}

// checks reports whether an application that has a node's JWKS accepts a token.
func checks(t *testing.T, s *token.Signer, raw string) bool {
	t.Helper()
	parsed, err := jwt.ParseSigned(raw, []jose.SignatureAlgorithm{jose.RS256})
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range s.JWKS().Keys {
		if k.Kid == parsed.Headers[0].KeyID {
			return parsed.Claims(publicKey(t, k), &token.Claims{}) == nil
		}
	}
	return false
}

// stored lists the keys' statuses in the order in which they were made.
func (f *fleet) stored() string {
	f.t.Helper()
	var list []string
	var status string
	for i := 0; ; i++ {
		found, err := f.db.Read(f.t.Context()).Row(`SELECT status FROM signing_keys ORDER BY created_at, kid LIMIT 1 OFFSET $1`, i).Scan(&status)
		if err != nil {
			f.t.Fatal(err)
		}
		if !found {
			return strings.Join(list, " ")
		}
		list = append(list, status)
	}
}

func (f *fleet) holds(want string) {
	f.t.Helper()
	if got := f.stored(); got != want {
		f.t.Errorf("the keys are %s, want %s", got, want)
	}
}

func (f *fleet) events(typ string) int {
	f.t.Helper()
	var n int
	if _, err := f.db.Read(f.t.Context()).Row(`SELECT count(*) FROM audit_events WHERE type = $1 AND tenant_id = '' AND actor = 'system'`, typ).Scan(&n); err != nil {
		f.t.Fatal(err)
	}
	return n
}

// Every window, a millisecond before it ends and at its end, on two nodes that start again in each state.
func TestRotation_Windows(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		f := newFleet(t, d)
		a, b := f.node(), f.node()
		f.tend(a, b)
		_, first := f.sign(a)
		step := func(after time.Duration, before, at string) {
			t.Helper()
			f.clock.Advance(after - time.Millisecond)
			f.tend(b, a, f.node())
			f.holds(before)
			f.clock.Advance(time.Millisecond)
			f.tend(a, b)
			f.holds(at)
			f.tend(f.node(), b, a)
			f.holds(at)
		}

		step(token.KeyTime-token.LeadTime, "active", "active next")
		old, kid := f.sign(b)
		if kid != first || len(kids(a)) != 2 || len(kids(b)) != 2 || kids(b)[0] != first {
			t.Fatalf("published: %s signs, JWKS %v and %v", kid, kids(a), kids(b))
		}
		next := kids(b)[1]

		step(token.LeadTime, "active next", "previous active")
		for _, s := range []*token.Signer{a, b, f.node()} {
			if _, kid := f.sign(s); kid != next || len(kids(s)) != 2 || !checks(t, s, old) {
				t.Errorf("rotated: %s signs, JWKS %v", kid, kids(s))
			}
		}
		if c, err := b.Verify(t.Context(), old); err != nil || c == nil || c.ID != "jti" {
			t.Errorf("a token of the previous key: %v %v", c, err)
		}

		step(token.PreviousTime, "previous active", "retired active")
		for _, s := range []*token.Signer{a, b, f.node()} {
			if len(kids(s)) != 1 || checks(t, s, old) {
				t.Errorf("the previous key has not left: %v", kids(s))
			}
		}
		var private int
		if _, err := d.Read(t.Context()).Row(`SELECT length(sealed_private) FROM signing_keys WHERE status = 'retired'`).Scan(&private); err != nil || private != 0 {
			t.Errorf("a retired key keeps its private half: %d %v", private, err)
		}
		if f.events("key.published") != 1 || f.events("key.rotated") != 1 {
			t.Errorf("%d events of publishing, %d of rotating", f.events("key.published"), f.events("key.rotated"))
		}

		step(token.KeyTime-token.PreviousTime-token.LeadTime, "retired active", "retired active next")
	})
}

// The key that will sign must be in every cache of the JWKS before it does.
func TestRotation_PublishedBeforeUse(t *testing.T) {
	if token.LeadTime < 2*token.JWKSMaxAge || token.JWKSMaxAge != 300*time.Second || token.KeyTime != 90*24*time.Hour || token.PreviousTime != 24*time.Hour {
		t.Errorf("lead %v, cached %v, key %v, previous %v", token.LeadTime, token.JWKSMaxAge, token.KeyTime, token.PreviousTime)
	}
}

func TestRotate(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		f := newFleet(t, d)
		a, b := f.node(), f.node()
		old, first := f.sign(a)
		f.clock.Advance(time.Second)
		next, err := a.Rotate(t.Context())
		if err != nil || next.Status != token.Next || next.SignsAt() != f.clock.Now().Add(token.LeadTime) || len(kids(a)) != 2 {
			t.Fatalf("%+v %v, JWKS %v", next, err, kids(a))
		}
		if again, err := b.Rotate(t.Context()); err != nil || again.Kid != next.Kid {
			t.Errorf("a second rotation: %v %v", again.Kid, err)
		}
		f.clock.Advance(token.LeadTime)
		f.tend(b)
		if _, kid := f.sign(b); kid != next.Kid {
			t.Error("the next key does not sign when it is due")
		}
		if _, kid := f.sign(a); kid != first || !checks(t, b, old) {
			t.Errorf("a node that has not looked yet signs with %s", kid)
		}
		// Twice in a day: two previous keys, each with its own day.
		f.clock.Advance(time.Hour)
		if _, err := a.Rotate(t.Context()); err != nil {
			t.Fatal(err)
		}
		f.clock.Advance(token.LeadTime)
		f.tend(a, b)
		f.holds("previous previous active")
		f.clock.Advance(token.PreviousTime - time.Hour - token.LeadTime)
		f.tend(a, b)
		f.holds("retired previous active")
		if len(kids(b)) != 2 {
			t.Errorf("JWKS %v", kids(b))
		}
	})
}

func TestRotateEmergency(t *testing.T) {
	for _, before := range []string{"active", "active next", "previous active", "previous active next"} {
		t.Run(before, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				f := newFleet(t, d)
				a, b := f.node(), f.node()
				tokens := []string{}
				keep := func() { raw, _ := f.sign(a); tokens = append(tokens, raw) }
				keep()
				for _, s := range []string{"previous", "next"} {
					if !strings.Contains(before, s) {
						continue
					}
					f.clock.Advance(time.Second)
					if _, err := a.Rotate(t.Context()); err != nil {
						t.Fatal(err)
					}
					if s == "previous" {
						f.clock.Advance(token.LeadTime)
						f.tend(a, b)
						keep()
					}
				}
				f.tend(a, b)
				f.holds(before)
				gone := kids(b)
				f.clock.Advance(time.Second)
				fresh, err := a.RotateEmergency(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				f.holds(strings.Repeat("retired ", len(gone)) + "active")
				raw, kid := f.sign(a)
				if kid != fresh.Kid || len(kids(a)) != 1 || fresh.SignsAt() != f.clock.Now() {
					t.Errorf("%s signs, JWKS %v", kid, kids(a))
				}
				late, _ := f.sign(b) // which hasn't looked yet
				for _, s := range []*token.Signer{a, b, f.node()} {
					for _, old := range append(tokens, late) {
						if c, err := s.Verify(t.Context(), old); c != nil || err != nil {
							t.Errorf("a token from before the emergency is good: %v %v", c, err)
						}
					}
					if c, err := s.Verify(t.Context(), raw); c == nil || err != nil {
						t.Errorf("the new key's token is refused: %v", err)
					}
				}
				f.tend(b)
				if _, kid := f.sign(b); kid != fresh.Kid || len(kids(b)) != 1 {
					t.Errorf("the other node signs with %s, JWKS %v", kid, kids(b))
				}
				var private int
				if _, err := d.Read(t.Context()).Row(`SELECT sum(length(sealed_private)) FROM signing_keys WHERE status = 'retired'`).Scan(&private); err != nil || private != 0 {
					t.Errorf("revoked keys keep their private halves: %d %v", private, err)
				}
				if f.events("key.revoked") != 1 {
					t.Errorf("%d events", f.events("key.revoked"))
				}
				// Life goes on from there.
				f.clock.Advance(token.KeyTime - token.LeadTime)
				f.tend(a, b)
				if !strings.HasSuffix(f.stored(), "active next") {
					t.Errorf("the keys are %s", f.stored())
				}
			})
		})
	}
}

// A node that stopped between looking and acting acts on what was true then, and changes nothing.
func TestRotation_LateSteps(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		f := newFleet(t, d)
		a, b := f.node(), f.node()
		ok := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		alone := b.Stale()
		f.clock.Advance(time.Second)
		ok(alone.Publish(t.Context()))
		ok(alone.Publish(t.Context()))
		f.holds("active next")
		f.clock.Advance(token.LeadTime)
		ok(b.Maintain(t.Context()))
		f.holds("previous active")
		ok(alone.Publish(t.Context()))
		f.holds("previous active")

		_, err := a.Rotate(t.Context())
		ok(err)
		due := a.Stale()
		f.clock.Advance(token.LeadTime)
		ok(due.Activate(t.Context()))
		ok(due.Activate(t.Context()))
		f.holds("previous previous active")

		f.clock.Advance(time.Second)
		_, err = b.Rotate(t.Context())
		ok(err)
		late := b.Stale()
		f.clock.Advance(token.LeadTime)
		fresh, err := a.RotateEmergency(t.Context())
		ok(err)
		ok(late.Activate(t.Context()))
		ok(late.Publish(t.Context()))
		if done, err := late.ReplaceAll(t.Context()); done || err != nil {
			t.Errorf("an emergency that was decided on older keys: %v %v", done, err)
		}
		f.tend(b)
		if _, kid := f.sign(b); kid != fresh.Kid || strings.Count(f.stored(), "active") != 1 || strings.Count(f.stored(), "retired") != 4 {
			t.Errorf("%s signs, the keys are %s", kid, f.stored())
		}
		if f.events("key.published") != 3 || f.events("key.rotated") != 3 || f.events("key.revoked") != 1 {
			t.Errorf("%d %d %d events", f.events("key.published"), f.events("key.rotated"), f.events("key.revoked"))
		}
	})
}

// Many nodes find the same step due at once: one makes it.
func TestRotation_Together(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		f := newFleet(t, d)
		nodes := []*token.Signer{f.node(), f.node(), f.node(), f.node()}
		together := func(do func(*token.Signer) error) {
			var wg sync.WaitGroup
			for _, s := range nodes {
				wg.Go(func() {
					if err := do(s); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
		}
		tend := func(s *token.Signer) error { return s.Maintain(t.Context()) }
		want := ""
		for range 3 {
			f.clock.Advance(token.KeyTime - token.LeadTime)
			together(tend)
			f.holds(want + "active next")
			f.clock.Advance(token.LeadTime)
			together(tend)
			f.holds(want + "previous active")
			f.clock.Advance(token.PreviousTime)
			together(tend)
			want += "retired "
			f.holds(want + "active")
		}
		together(func(s *token.Signer) error { _, err := s.RotateEmergency(t.Context()); return err })
		together(func(s *token.Signer) error { _, err := s.Rotate(t.Context()); return err })
		if got := f.stored(); strings.Count(got, "active") != 1 || strings.Count(got, "next") != 1 || strings.Contains(got, "previous") {
			t.Errorf("the keys are %s", got)
		}
		if n := f.events("key.revoked"); n != 4 {
			t.Errorf("%d of 4 emergencies", n)
		}
	})
}

func TestRun(t *testing.T) {
	f := newFleet(t, dbtest.SQLite(t))
	s := f.node()
	ctx, stop := context.WithCancel(t.Context())
	ticks, ended := make(chan time.Time), make(chan struct{})
	go func() { s.RunOn(ctx, ticks); close(ended) }()
	round := func() { ticks <- time.Time{}; ticks <- time.Time{} } // the second is taken when the first's round is over
	round()
	f.holds("active")
	f.clock.Advance(token.KeyTime)
	round()
	f.holds("active next")
	published := s.JWKS()
	round()
	if s.JWKS() != published {
		t.Error("the JWKS was replaced though no key has changed")
	}
	f.clock.Advance(token.LeadTime)
	round()
	f.holds("previous active")
	stop()
	<-ended
	if err := s.Run(ctx); err != nil {
		t.Errorf("told to end before it began: %v", err)
	}
}

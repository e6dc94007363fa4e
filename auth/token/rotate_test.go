package token_test

import (
	"context"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"example.com/griot/auth/authtest"
	"example.com/griot/auth/token"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/waittest"
)

func TestStatusTable(t *testing.T) {
	want := []string{
		"activate: next -> active", "supersede: active -> previous", "retire: previous -> retired",
		"revoke: next -> retired", "revoke: active -> retired", "revoke: previous -> retired",
	}
	if got := token.Steps(); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %q, want %q", got, want)
	}
}

// nodes are several signers on one database.
type nodes struct {
	*authtest.World
	t *testing.T
}

func newNodes(t *testing.T, d *db.DB) *nodes {
	t.Helper()
	return &nodes{authtest.New(t, d), t}
}

func (n *nodes) node() *token.Signer {
	n.t.Helper()
	return n.NewSigner(n.t)
}

func (n *nodes) maintain(all ...*token.Signer) {
	n.t.Helper()
	for _, s := range all {
		if err := s.Maintain(n.t.Context()); err != nil {
			n.t.Fatal(err)
		}
	}
}

// claims returns the claims of a token that is issued now.
func (n *nodes) claims() *token.Claims {
	at := n.Clock.Now().Unix()
	return &token.Claims{Issuer: "https://login.example", Subject: "someone", IssuedAt: at, NotBefore: at, Expires: at + 900, ID: "jti"}
}

// sign returns a token and the kid of its key.
func (n *nodes) sign(s *token.Signer) (raw, kid string) {
	n.t.Helper()
	raw, err := s.Sign(n.t.Context(), n.claims())
	if err != nil {
		n.t.Fatal(err)
	}
	parsed, err := jwt.ParseSigned(raw, []jose.SignatureAlgorithm{jose.RS256})
	if err != nil {
		n.t.Fatal(err)
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

// checks reports whether an application with a node's JWKS accepts a token.
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

// stored returns the keys' statuses in the order of their creation.
func (n *nodes) stored() string {
	n.t.Helper()
	var list []string
	var status string
	for i := 0; ; i++ {
		found, err := n.DB.Read(n.t.Context()).Row(`SELECT status FROM signing_keys ORDER BY created_at, kid LIMIT 1 OFFSET $1`, i).Scan(&status)
		if err != nil {
			n.t.Fatal(err)
		}
		if !found {
			return strings.Join(list, " ")
		}
		list = append(list, status)
	}
}

func (n *nodes) holds(want string) {
	n.t.Helper()
	if got := n.stored(); got != want {
		n.t.Errorf("the keys are %s, want %s", got, want)
	}
}

func (n *nodes) events(typ string) int {
	n.t.Helper()
	return n.Count(n.t, `SELECT count(*) FROM audit_events WHERE type = $1 AND tenant_id = '' AND actor = 'system'`, typ)
}

// privateLength returns the number of bytes of private keys that the retired keys still have.
func (n *nodes) privateLength() int {
	n.t.Helper()
	return n.Count(n.t, `SELECT sum(length(sealed_private)) FROM signing_keys WHERE status = 'retired'`)
}

// Every window, a millisecond before its end and at its end, on two nodes that restart in each state.
// Rules: L126.
func TestRotation_Windows(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		n := newNodes(t, d)
		a, b := n.node(), n.node()
		n.maintain(a, b)
		_, first := n.sign(a)
		step := func(after time.Duration, before, at string) {
			t.Helper()
			n.Clock.Advance(after - time.Millisecond)
			n.maintain(b, a, n.node())
			n.holds(before)
			n.Clock.Advance(time.Millisecond)
			n.maintain(a, b)
			n.holds(at)
			n.maintain(n.node(), b, a)
			n.holds(at)
		}

		step(token.KeyTime-token.LeadTime, "active", "active next")
		old, kid := n.sign(b)
		if kid != first || len(kids(a)) != 2 || len(kids(b)) != 2 || kids(b)[0] != first {
			t.Fatalf("after publishing %s signs, JWKS %v and %v; want %s and two keys, it first", kid, kids(a), kids(b), first)
		}
		next := kids(b)[1]

		step(token.LeadTime, "active next", "previous active")
		for _, s := range []*token.Signer{a, b, n.node()} {
			if _, kid := n.sign(s); kid != next || len(kids(s)) != 2 || !checks(t, s, old) {
				t.Errorf("after the rotation %s signs, JWKS %v; want %s and two keys", kid, kids(s), next)
			}
		}
		if c, err := b.Verify(t.Context(), old); err != nil || c == nil || c.ID != "jti" {
			t.Errorf("a token of the previous key: %v, %v; want its claims", c, err)
		}

		step(token.PreviousTime, "previous active", "retired active")
		for _, s := range []*token.Signer{a, b, n.node()} {
			if len(kids(s)) != 1 || checks(t, s, old) {
				t.Errorf("JWKS %v, want only the active key", kids(s))
			}
		}
		if n := n.privateLength(); n != 0 {
			t.Errorf("retired keys keep %d bytes of their private keys, want none", n)
		}
		if n.events("key.published") != 1 || n.events("key.rotated") != 1 {
			t.Errorf("%d events of publishing and %d of rotating, want one of each", n.events("key.published"), n.events("key.rotated"))
		}

		step(token.KeyTime-token.PreviousTime-token.LeadTime, "retired active", "retired active next")
	})
}

// The next key must be in every cache of the JWKS before it signs.
// Rules: L126.
func TestRotation_PublishedBeforeUse(t *testing.T) {
	if token.LeadTime < 2*token.JWKSMaxAge || token.JWKSMaxAge != 300*time.Second || token.KeyTime != 90*24*time.Hour || token.PreviousTime != 24*time.Hour {
		t.Errorf("lead %v, cached %v, key %v, previous %v", token.LeadTime, token.JWKSMaxAge, token.KeyTime, token.PreviousTime)
	}
}

// Rules: L127.
func TestRotate(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		n := newNodes(t, d)
		a, b := n.node(), n.node()
		old, first := n.sign(a)
		n.Clock.Advance(time.Second)
		next, err := a.Rotate(t.Context())
		if err != nil || next.Status != token.Next || next.SignsAt() != n.Clock.Now().Add(token.LeadTime) || len(kids(a)) != 2 {
			t.Fatalf("%+v %v, JWKS %v", next, err, kids(a))
		}
		if again, err := b.Rotate(t.Context()); err != nil || again.Kid != next.Kid {
			t.Errorf("a second rotation: %v, %v; want %s again", again.Kid, err, next.Kid)
		}
		n.Clock.Advance(token.LeadTime)
		n.maintain(b)
		if _, kid := n.sign(b); kid != next.Kid {
			t.Errorf("%s signs when the next key is due, want %s", kid, next.Kid)
		}
		if _, kid := n.sign(a); kid != first || !checks(t, b, old) {
			t.Errorf("a node that has not read the keys yet signs with %s, want %s", kid, first)
		}
		// Twice in a day: two previous keys, each with its own day.
		n.Clock.Advance(time.Hour)
		if _, err := a.Rotate(t.Context()); err != nil {
			t.Fatal(err)
		}
		n.Clock.Advance(token.LeadTime)
		n.maintain(a, b)
		n.holds("previous previous active")
		n.Clock.Advance(token.PreviousTime - time.Hour - token.LeadTime)
		n.maintain(a, b)
		n.holds("retired previous active")
		if len(kids(b)) != 2 {
			t.Errorf("JWKS %v, want two keys", kids(b))
		}
	})
}

// Rules: L127.
func TestRotateEmergency(t *testing.T) {
	for _, before := range []string{"active", "active next", "previous active", "previous active next"} {
		t.Run(before, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				n := newNodes(t, d)
				a, b := n.node(), n.node()
				tokens := []string{}
				keep := func() { raw, _ := n.sign(a); tokens = append(tokens, raw) }
				keep()
				for _, s := range []string{"previous", "next"} {
					if !strings.Contains(before, s) {
						continue
					}
					n.Clock.Advance(time.Second)
					if _, err := a.Rotate(t.Context()); err != nil {
						t.Fatal(err)
					}
					if s == "previous" {
						n.Clock.Advance(token.LeadTime)
						n.maintain(a, b)
						keep()
					}
				}
				n.maintain(a, b)
				n.holds(before)
				gone := kids(b)
				n.Clock.Advance(time.Second)
				fresh, err := a.RotateEmergency(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				n.holds(strings.Repeat("retired ", len(gone)) + "active")
				raw, kid := n.sign(a)
				if kid != fresh.Kid || len(kids(a)) != 1 || fresh.SignsAt() != n.Clock.Now() {
					t.Errorf("%s signs, JWKS %v; want only %s", kid, kids(a), fresh.Kid)
				}
				late, _ := n.sign(b) // it hasn't read the keys yet
				for _, s := range []*token.Signer{a, b, n.node()} {
					for _, old := range append(tokens, late) {
						if c, err := s.Verify(t.Context(), old); c != nil || err != nil {
							t.Errorf("a token from before the emergency: %v, %v; want nil", c, err)
						}
					}
					if c, err := s.Verify(t.Context(), raw); c == nil || err != nil {
						t.Errorf("the new key's token: %v, %v; want its claims", c, err)
					}
				}
				n.maintain(b)
				if _, kid := n.sign(b); kid != fresh.Kid || len(kids(b)) != 1 {
					t.Errorf("the other node signs with %s, JWKS %v; want only %s", kid, kids(b), fresh.Kid)
				}
				if n := n.privateLength(); n != 0 {
					t.Errorf("retired keys keep %d bytes of their private keys, want none", n)
				}
				if got := n.events("key.revoked"); got != 1 {
					t.Errorf("%d events key.revoked, want 1", got)
				}
				// Rotation continues from there.
				n.Clock.Advance(token.KeyTime - token.LeadTime)
				n.maintain(a, b)
				if !strings.HasSuffix(n.stored(), "active next") {
					t.Errorf("the keys are %s", n.stored())
				}
			})
		})
	}
}

// A node that was stopped between reading and writing writes its decision, and changes nothing.
func TestRotation_LateSteps(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		n := newNodes(t, d)
		a, b := n.node(), n.node()
		ok := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		stale := b.Stale()
		n.Clock.Advance(time.Second)
		ok(stale.Publish(t.Context()))
		ok(stale.Publish(t.Context()))
		n.holds("active next")
		n.Clock.Advance(token.LeadTime)
		ok(b.Maintain(t.Context()))
		n.holds("previous active")
		ok(stale.Publish(t.Context()))
		n.holds("previous active")

		_, err := a.Rotate(t.Context())
		ok(err)
		due := a.Stale()
		n.Clock.Advance(token.LeadTime)
		ok(due.Activate(t.Context()))
		ok(due.Activate(t.Context()))
		n.holds("previous previous active")

		n.Clock.Advance(time.Second)
		_, err = b.Rotate(t.Context())
		ok(err)
		late := b.Stale()
		n.Clock.Advance(token.LeadTime)
		fresh, err := a.RotateEmergency(t.Context())
		ok(err)
		ok(late.Activate(t.Context()))
		ok(late.Publish(t.Context()))
		if done, err := late.ReplaceAll(t.Context()); done || err != nil {
			t.Errorf("an emergency that was decided on older keys: %v %v", done, err)
		}
		n.maintain(b)
		if _, kid := n.sign(b); kid != fresh.Kid || strings.Count(n.stored(), "active") != 1 || strings.Count(n.stored(), "retired") != 4 {
			t.Errorf("%s signs, the keys are %s", kid, n.stored())
		}
		got := map[string]int{}
		for _, typ := range []string{"key.published", "key.rotated", "key.revoked"} {
			got[typ] = n.events(typ)
		}
		if want := map[string]int{"key.published": 3, "key.rotated": 3, "key.revoked": 1}; !maps.Equal(got, want) {
			t.Errorf("events %v, want %v", got, want)
		}
	})
}

// Several nodes find the same step due at the same time, and one performs it.
func TestRotation_Together(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		n := newNodes(t, d)
		signers := []*token.Signer{n.node(), n.node(), n.node(), n.node()}
		together := func(do func(*token.Signer) error) {
			var wg sync.WaitGroup
			for _, s := range signers {
				wg.Go(func() {
					if err := do(s); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
		}
		maintain := func(s *token.Signer) error { return s.Maintain(t.Context()) }
		want := ""
		for range 3 {
			n.Clock.Advance(token.KeyTime - token.LeadTime)
			together(maintain)
			n.holds(want + "active next")
			n.Clock.Advance(token.LeadTime)
			together(maintain)
			n.holds(want + "previous active")
			n.Clock.Advance(token.PreviousTime)
			together(maintain)
			want += "retired "
			n.holds(want + "active")
		}
		together(func(s *token.Signer) error { _, err := s.RotateEmergency(t.Context()); return err })
		together(func(s *token.Signer) error { _, err := s.Rotate(t.Context()); return err })
		if got := n.stored(); strings.Count(got, "active") != 1 || strings.Count(got, "next") != 1 || strings.Contains(got, "previous") {
			t.Errorf("the keys are %s", got)
		}
		if n := n.events("key.revoked"); n != 4 {
			t.Errorf("%d emergencies, want 4", n)
		}
	})
}

func TestMaintain_LeavesTheJWKSAloneWhenNoKeyHasChanged(t *testing.T) {
	n := newNodes(t, dbtest.SQLite(t))
	s := n.node()
	n.maintain(s)
	published := s.JWKS()
	n.maintain(s)
	if s.JWKS() != published {
		t.Error("the JWKS was replaced though no key has changed")
	}
}

// Run maintains the keys immediately after its start, and ends with its context.
func TestRun(t *testing.T) {
	n := newNodes(t, dbtest.SQLite(t))
	s := n.node()
	for _, phase := range []struct {
		after time.Duration
		want  string
	}{{0, "active"}, {token.KeyTime, "active next"}, {token.LeadTime, "previous active"}} {
		n.Clock.Advance(phase.after)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- s.Run(ctx) }()
		waittest.Eventually(t, phase.want, n.stored)
		stop()
		if err := waittest.Receive(t, ended); err != nil {
			t.Errorf("Run with an ended context: %v, want nil", err)
		}
	}
}

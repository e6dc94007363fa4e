package api_test

import (
	"net/http"
	"testing"
	"time"

	"example.com/griot/auth/tenant"
	"example.com/griot/auth/token"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

// Rules: L132.
func TestIntrospect(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		a, other := s.app(tenant.Confidential, tenant.Test), s.app(tenant.Confidential, tenant.Test)
		good, code := s.signedIn(a)
		foreign, _ := s.signedIn(other)
		if !s.active(a, good) || !s.active(other, foreign) {
			t.Fatal("a token that was just given is not active")
		}
		for name, raw := range map[string]string{"another client's": foreign, "malformed": "x", "two dots": "..", "cut": good[:len(good)-8]} {
			if s.active(a, raw) {
				t.Errorf("%s token is active", name)
			}
		}
		s.exchange("/token", exchange(a, code)).refused(t, 400, "invalid_grant", "code_already_used")
		if s.active(a, good) || !s.active(other, foreign) {
			t.Error("after its code came again")
		}

		over, _ := s.signedIn(a)
		s.Clock.Advance(900*time.Second - time.Millisecond)
		if !s.active(a, over) {
			t.Error("a token is over before its time")
		}
		s.Clock.Advance(time.Millisecond)
		if s.active(a, over) {
			t.Error("a token is active after its time")
		}

		// A token of ours whose login doesn't exist: deleted, or never stored.
		swept, _ := s.signedIn(a)
		s.Exec(t, `DELETE FROM login_sessions`)
		if s.active(a, swept) {
			t.Error("a token that nothing is known of is active")
		}
	})
}

// Rules: L126.
func TestKeys_AsApplicationsSeeThem(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		a := s.app(tenant.Confidential, tenant.Test)
		var etags []string
		jwks := func(keys int) {
			t.Helper()
			got := s.do(s.request("GET", "/.well-known/jwks.json", ""))
			list, _ := got.json(t)["keys"].([]any)
			if len(list) != keys || got.header.Get("Cache-Control") != "public, max-age=300" {
				t.Errorf("%d keys, want %d; %v", len(list), keys, got.header)
			}
			etag := got.header.Get("ETag")
			for _, old := range etags {
				if again := s.do(s.request("GET", "/.well-known/jwks.json", "", "If-None-Match", old)); (again.status == http.StatusNotModified) != (old == etag) {
					t.Errorf("%d for the ETag %s, it is %s now", again.status, old, etag)
				}
			}
			etags = append(etags, etag)
		}
		maintain := func() {
			t.Helper()
			if err := s.auth.API.MaintainKeys(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		jwks(1)
		maintain()
		jwks(1)
		if err := s.auth.API.Rotate(t.Context()); err != nil {
			t.Fatal(err)
		}
		jwks(2)
		s.Clock.Advance(2*token.JWKSMaxAge - time.Millisecond)
		maintain()
		old, _ := s.signedIn(a)
		s.Clock.Advance(time.Minute + time.Millisecond)
		maintain()
		fresh, _ := s.signedIn(a)
		jwks(2) // the same keys: the active one and the previous one
		for _, raw := range []string{old, fresh} {
			s.verifyJWT(raw)
			if !s.active(a, raw) {
				t.Error("a token is refused because of the rotation")
			}
		}
		if err := s.auth.API.RotateEmergency(t.Context()); err != nil {
			t.Fatal(err)
		}
		jwks(1)
		if s.active(a, old) || s.active(a, fresh) {
			t.Error("a token from before the emergency is active")
		}
		fresh, _ = s.signedIn(a)
		s.verifyJWT(fresh)
		if !s.active(a, fresh) {
			t.Error("a token from after the emergency is not active")
		}
		s.revoke(a, old)
		if n := s.count(`SELECT count(*) FROM audit_events WHERE tenant_id = $1 AND type LIKE 'key.%'`, s.Tenant.ID); n != 0 {
			t.Errorf("the tenant has %d events of signing keys, want none", n)
		}
	})
}

// An emergency rotation on one node takes effect on another immediately when it checks tokens.
// Rules: L127.
func TestEmergency_OnAnotherNode(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		a := s.app(tenant.Confidential, tenant.Test)
		raw, _ := s.signedIn(a)
		if !s.active(a, raw) {
			t.Fatal("a new token is not active")
		}
		if _, err := s.NewSigner(t).RotateEmergency(t.Context()); err != nil {
			t.Fatal(err)
		}
		if s.active(a, raw) {
			t.Error("after the emergency the token is active on a node that has not read the keys since")
		}
	})
}

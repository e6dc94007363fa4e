package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"example.com/griot/auth/oauth"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

// The longest and shortest verifier, in both encodings, at both paths, with and without grant_type.
// Rules: L83, L84, L85, L90, L100.
func TestToken_Bounds(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		a := s.app(tenant.Public, tenant.Test)
		for _, secret := range []string{strings.Repeat("v", 43), strings.Repeat("-._~", 32)} {
			for _, path := range []string{"/token", "/oauth2/token"} {
				for _, grant := range []string{"authorization_code", "-"} {
					for encoding, send := range map[string]func(string, map[string]string) answer{
						"json": s.exchange, "form": func(path string, body map[string]string) answer { return s.exchangeForm(path, body) },
					} {
						b := s.browser()
						loginID := b.start(a, "code_challenge", oauth.S256(secret))
						checkProved(t, b.sandbox(loginID, "22300000001"), false)
						got := send(path, exchange(a, b.code(loginID), "code_verifier", secret, "grant_type", grant))
						want := map[string]int{"/token": http.StatusCreated, "/oauth2/token": http.StatusOK}[path]
						if m := got.json(t); got.status != want || m["token"] == nil || m["token"] != m["access_token"] || m["token_type"] != "Bearer" {
							t.Errorf("%s %s, verifier of %d: %d %s", encoding, path, len(secret), got.status, got.body)
						}
					}
				}
			}
		}
	})
}

// The ten numbers of the sandbox, each with its name, and all ten different people.
// Rules: L80, L81, L103, L106, L107.
func TestSandbox_TenNumbers(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	a := s.app(tenant.Public, tenant.Test)
	people := map[any]bool{}
	for i := range 10 {
		suffix, name := fmt.Sprintf("%03d", i), any(fmt.Sprint("Sandbox ", i))
		if i == 0 {
			suffix, name = "099", nil
		}
		b, loginID := s.provedLogin(a, "22300000"+suffix)
		p, ok := s.exchange("/token", exchange(a, b.code(loginID))).json(t)["profile"].(map[string]any)
		if !ok || p["phone_e164"] != "22300000"+suffix || p["display_name"] != name || p["provider"] != "sandbox" || p["mode"] != "TEST" {
			t.Errorf("%s: %v", suffix, p)
		}
		people[p["id"]] = true
	}
	if len(people) != 10 {
		t.Errorf("%d people behind ten numbers", len(people))
	}
}

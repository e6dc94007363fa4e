package api_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

// If a login ends for a reason other than time, the application, scripts, and the person see the reason.
// Rules: L53, L58.
func TestEnded_SaysWhy(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		for _, tt := range []struct {
			end                     func(s *service, b *browser, a app, loginID string)
			endedBy                 any
			description, en, french string
		}{
			{func(s *service, b *browser, _ app, loginID string) {
				words := b.words(loginID)
				s.accepted("first", alice, words)
				s.accepted("second", bob, words)
			}, "second_phone", "Two phones sent the words", "Two phones sent these words", "Deux téléphones ont envoyé ces mots"},
			{func(s *service, b *browser, _ app, loginID string) {
				words := b.words(loginID)
				s.accepted("yes", alice, words)
				s.accepted("no", alice, "STOP")
			}, "person", "canceled the login", "took them back by a message", "annulée par un message"},
			{func(s *service, b *browser, a app, loginID string) {
				s.accepted("words", alice, b.words(loginID))
				code := b.code(loginID)
				for range 5 {
					s.exchange("/token", exchange(a, code, "code_verifier", strings.Repeat("v", 43)))
				}
			}, "wrong_codes", "exchanged wrongly too often", "could not finish this sign-in", "n’a pas pu terminer"},
			{func(s *service, _ *browser, _ app, _ string) { s.Clock.Advance(90 * time.Second) }, nil, "not completed in time", "Time is up", "Le temps est écoulé"},
		} {
			s := newService(t, d)
			a := s.app(tenant.Public, tenant.Live)
			b := s.browser()
			loginID := b.start(a)
			tt.end(s, b, a, loginID)
			got := b.poll(loginID)
			back, err := url.Parse(text(t, got, "redirectUrl"))
			if err != nil || got["status"] != "EXPIRED" || got["endedBy"] != tt.endedBy || back.Query().Get("error") != "access_denied" ||
				!strings.Contains(back.Query().Get("error_description"), tt.description) {
				t.Errorf("%v: got %v, %v; want EXPIRED, and %q in error_description", tt.endedBy, got, err, tt.description)
			}
			b.page(loginID).shows(t, http.StatusOK, tt.en)
			b.lang = "fr"
			b.page(loginID).shows(t, http.StatusOK, tt.french)
		}
	})
}

// changeClientRow changes the client's row like another node, so this node still has the old row in its cache.
func (s *service) changeClientRow(a app, redirectURIs string, active int) {
	s.t.Helper()
	s.Exec(s.t, `UPDATE oauth_clients SET redirect_uris = $2, active = $3 WHERE client_id = $1`, a.ClientID, redirectURIs, active)
}

func asRegistered() string { return addresses(redirect, localRedirect) }

var clientChanges = map[string]struct { //nolint:gochecknoglobals // a table of tests
	redirectURIs string
	active       int
	errorCode    string // of the event
}{
	"switched off":     {asRegistered(), 0, "client_inactive"},
	"without address":  {addresses(localRedirect), 1, "redirect_uri_mismatch"},
	"with neither":     {addresses(localRedirect), 0, "client_inactive"},
	"in another shape": {addresses(redirect + "/"), 1, "redirect_uri_mismatch"},
}

// Rules: L59.
func TestHandBack_AsksForTheClientAgain(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		for name, change := range clientChanges {
			for _, handedBack := range []bool{false, true} {
				s := newService(t, d)
				a := s.app(tenant.Public, tenant.Test)
				b, loginID := s.provedLogin(a, "22300000001")
				if handedBack {
					b.code(loginID)
				}
				s.changeClientRow(a, change.redirectURIs, change.active)
				for range 2 {
					if got := b.poll(loginID); got["status"] != "EXPIRED" || got["redirectUrl"] != nil || got["endedBy"] != "client" {
						t.Errorf("%s, handed back before %t: %v; want EXPIRED by client, without an address", name, handedBack, got)
					}
				}
				b.page(loginID).shows(t, http.StatusOK, "no longer takes this sign-in")
				if n := s.count(`SELECT count(*) FROM audit_events WHERE type = 'login.refused' AND login_id = $1 AND error_code = $2 AND actor = 'system'`, loginID, change.errorCode); n != 1 {
					t.Errorf("%s: %d events login.refused with %s, want 1", name, n, change.errorCode)
				}
				s.changeClientRow(a, asRegistered(), 1)
				if got := b.poll(loginID); got["status"] != "EXPIRED" {
					t.Errorf("%s, and back: %v; want EXPIRED for good", name, got)
				}
			}
		}
	})
}

// A login that timed out also doesn't redirect to an address that was removed.
// Rules: L59.
func TestHandBack_NoErrorToAnAddressThatIsGone(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	a := s.app(tenant.Public, tenant.Test)
	b := s.browser()
	loginID := b.start(a)
	s.changeClientRow(a, addresses(localRedirect), 1)
	s.Clock.Advance(90 * time.Second)
	if got := b.poll(loginID); got["status"] != "EXPIRED" || got["redirectUrl"] != nil || got["endedBy"] != nil {
		t.Errorf("got %v, want EXPIRED by time, without an address", got)
	}
}

// Rules: L97.
func TestToken_AsksForTheClientAgain(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		for name, change := range clientChanges {
			s := newService(t, d)
			a := s.app(tenant.Confidential, tenant.Test)
			b, loginID := s.provedLogin(a, "22300000001")
			body := exchange(a, b.code(loginID))
			s.changeClientRow(a, change.redirectURIs, change.active)
			for range 6 { // not a wrong attempt, because the client did nothing wrong
				if got := s.exchange("/token", body); change.active == 0 {
					got.refused(t, 401, "invalid_client", "client_inactive")
				} else {
					got.refused(t, 400, "invalid_grant", "code_redirect_mismatch")
				}
			}
			if n := s.count(`SELECT count(*) FROM audit_events WHERE type = 'token.denied' AND login_id = $1`, loginID); n != 6 {
				t.Errorf("%s: %d events token.denied, want 6", name, n)
			}
			s.changeClientRow(a, asRegistered(), 1)
			if got := s.exchange("/token", body); got.status != http.StatusCreated {
				t.Errorf("%s, and back: %d %s, want 201", name, got.status, got.body)
			}
		}
	})
}

// A code that is no longer valid revokes a token only if its sender could have received it.
// Rules: L95.
func TestToken_UsedCodeOfOthers(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		a, public, other := s.app(tenant.Confidential, tenant.Test), s.app(tenant.Public, tenant.Test), s.app(tenant.Confidential, tenant.Test)
		token, code := s.signedIn(a)
		for name, body := range map[string]map[string]string{
			"another client":        exchange(other, code),
			"another PUBLIC client": exchange(public, code),
			"another address":       exchange(a, code, "redirect_uri", localRedirect),
		} {
			s.exchange("/token", body).refused(t, 400, "invalid_grant", "code_already_used")
			if !s.active(a, token) {
				t.Errorf("%s revoked the token, want it active", name)
			}
		}
		if n := s.count(`SELECT count(*) FROM audit_events WHERE type = 'code.replayed'`); n != 0 {
			t.Errorf("%d events code.replayed, want none", n)
		}
		s.exchange("/token", exchange(a, code, "code_verifier", strings.Repeat("v", 43))).refused(t, 400, "invalid_grant", "code_already_used")
		if s.active(a, token) {
			t.Error("its own client's repetition leaves the token active, want it revoked")
		}
	})
}

package api_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"griot/auth/tenant"
	"griot/internal/db/dbtest"
)

// answered holds what is true of every answer, whatever was asked: a complete Error body, and nothing on our side.
func answered(t *testing.T, got answer) {
	t.Helper()
	m := got.json(t)
	code, _ := m["error_code"].(string)
	oauthCode, _ := m["error"].(string)
	if got.status < 400 || got.status >= 500 || got.status == http.StatusNotFound {
		t.Errorf("%d %s", got.status, got.body)
		return
	}
	got.refused(t, got.status, oauthCode, code)
}

// Bodies that are signed, so that they are read: none proves the login, none breaks the service.
func FuzzVerify(f *testing.F) {
	s := newService(f, dbtest.SQLite(f))
	b := s.browser()
	loginID := b.start(s.app(tenant.Public, tenant.Live))
	fits := s.proof(loginID, "m", alice, "amber river seven")
	seed, err := json.Marshal(fits)
	if err != nil {
		f.Fatal(err)
	}
	for _, body := range []string{string(seed), "{}", "", `{"timestamp":1e400}`, `{"phoneE164":"\ud800"}`, "\xff", `{"displayName":null,"timestamp":null}`} {
		f.Add(body)
	}
	before := s.rows()
	f.Fuzz(func(t *testing.T, body string) {
		s := s.in(t)
		r := s.request("POST", s.inside+"/internal/verify", body, "X-Gateway-Signature", sign(receiverSecret, []byte(body)))
		answered(t, s.do(r))
		if after := s.rows(); after != before {
			t.Errorf("%q stored something: %s", body, after)
		}
	})
}

// Forms of an authenticated client: none gets a token, none breaks the service.
func FuzzTokenForm(f *testing.F) {
	s := newService(f, dbtest.SQLite(f))
	a := s.app(tenant.Confidential, tenant.Test)
	for _, form := range []string{
		"client_id=" + a.ClientID + "&client_secret=" + a.secret + "&code=" + unknownID + "&redirect_uri=" + redirect,
		"", "code=%00", "code=%ff&code", "a;b", "client_id=%zz", "client_id=&client_id=", "grant_type=password",
	} {
		f.Add(form)
	}
	before := s.rows()
	f.Fuzz(func(t *testing.T, form string) {
		s := s.in(t)
		answered(t, s.do(s.request("POST", "/oauth2/token", form, "Content-Type", "application/x-www-form-urlencoded")))
		if after := s.rows(); after != before {
			t.Errorf("%q stored something: %s", form, after)
		}
	})
}

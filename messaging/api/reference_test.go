package api_test

import (
	"strings"
	"testing"

	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/api"
	"example.com/griot/openapi"
	"example.com/griot/web"
	"example.com/griot/web/reference"
)

// Rules: M179.
func TestReference(t *testing.T) {
	s := newService(t, dbtest.SQLite(t), "free")
	for path, want := range map[string]string{"/docs": `href="/docs/start/back-end"`, "/docs?q=idempotency": "/docs/sending#idempotency", "/docs/operating/backup": "griot backup", "/docs/reference": "/docs/reference/getHealth", "/docs/reference/sendMessage": s.URL + "/api/send", "/docs/reference/SendRequest": "idempotencyKey"} {
		if a := s.do("GET", path, ""); a.status != 200 || !strings.Contains(a.raw, want) {
			t.Errorf("%s: got %d, want 200 and %s in it", path, a.status, want)
		}
	}
	s.wants(s.do("GET", "/docs/reference/none", ""), 404, "not_found")
	s.wants(s.do("GET", "/docs/operating/none", ""), 404, "not_found")
	if a := s.do("GET", "/docs/reference/none", "", "Accept: text/html"); a.status != 404 || !strings.Contains(a.raw, "<h1") {
		t.Errorf("a browser's page that is not there: got %d %s", a.status, a.raw)
	}
}

// Rules: M179.
func TestLegalPages(t *testing.T) {
	s := newService(t, dbtest.SQLite(t), "free", func(o *api.Options) {
		o.Operator, o.Privacy = web.Operator{Name: "Kalabash", Contact: "https://kalabash.example/aide"}, "Ours.\n\nAnd more."
	})
	for path, want := range map[string][]string{
		"/terms":   {"Kalabash", `href="https://kalabash.example/aide"`, "22 November 2026", "STOP"},
		"/privacy": {"Kalabash", `<p class="said">And more.</p>`},
	} {
		a := s.do("GET", path, "", "Accept-Language: en")
		for _, words := range want {
			if a.status != 200 || !strings.Contains(a.raw, words) {
				t.Errorf("%s: got %d, want %s in %s", path, a.status, words, a.raw)
			}
		}
	}
}

// Operations that the reference offers to try with a test key accept one. Operations that it marks for live keys refuse one.
func TestReference_OffersToTryWhatTakesATestKey(t *testing.T) {
	s := newService(t, dbtest.SQLite(t), "pro", accountsSetURL)
	key := s.Key(t, s.Account.ID, "", account.Test)
	d, err := reference.Parse(openapi.Messaging())
	if err != nil {
		t.Fatal(err)
	}
	tried := map[string]int{}
	for _, g := range d.Groups {
		for _, op := range g.Operations {
			kind := op.Try()
			if kind != "key" && kind != "live" {
				continue
			}
			tried[kind]++
			path, body := op.Path, ""
			for _, p := range op.ParametersIn("path") {
				path = strings.ReplaceAll(path, "{"+p.Name+"}", p.Example)
			}
			if len(op.Bodies) > 0 {
				body = op.Bodies[0].Examples[0].Text
			}
			a := s.do(op.Method, path, body, "Authorization: Bearer "+key)
			if refused := a.status == 401 || a.status == 403; refused != (kind == "live") {
				t.Errorf("%s %s with a test key: got %d %s, though the reference says %q", op.Method, path, a.status, a.raw, kind)
			}
		}
	}
	if tried["key"] < 10 || tried["live"] < 10 {
		t.Errorf("tried %v, want more", tried)
	}
}

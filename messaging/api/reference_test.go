package api_test

import (
	"strings"
	"testing"

	"griot/internal/db/dbtest"
)

func TestReference(t *testing.T) {
	s := newService(t, dbtest.SQLite(t), "free")
	for path, want := range map[string]string{"/docs": "/docs/reference/sendMessage", "/docs/reference": "/docs/reference/getHealth", "/docs/reference/sendMessage": s.url + "/api/send", "/docs/reference/SendRequest": "idempotencyKey"} {
		if a := s.do("GET", path, ""); a.status != 200 || !strings.Contains(a.raw, want) {
			t.Errorf("%s: got %d, want 200 and %s in it", path, a.status, want)
		}
	}
	s.wants(s.do("GET", "/docs/reference/none", ""), 404, "not_found")
	if a := s.do("GET", "/docs/reference/none", "", "Accept: text/html"); a.status != 404 || !strings.Contains(a.raw, "<h1") {
		t.Errorf("a browser's page that is not there: got %d %s", a.status, a.raw)
	}
}

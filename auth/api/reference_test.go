package api_test

import (
	"testing"

	"example.com/griot/internal/db/dbtest"
)

func TestReference(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	b := s.browser()
	get := func(path string) answer { return b.send(b.request("GET", path, "", "Accept", "text/html")) }
	if a := get("/docs"); a.status != 303 || a.header.Get("Location") != "/docs/reference" {
		t.Errorf("/docs: got %d to %q, want 303 to the reference", a.status, a.header.Get("Location"))
	}
	get("/docs/reference").shows(t, 200, "/docs/reference/introspectToken")
	get("/docs/reference/introspectToken").shows(t, 200, s.url+"/oauth2/introspect", "client_not_confidential")
	get("/docs/reference/none").shows(t, 404, "not_found")
}

package api_test

import (
	"testing"

	"example.com/griot/internal/db/dbtest"
)

// Rules: L175.
func TestReference(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	b := s.browser()
	get := func(path string) answer { return b.send(b.request("GET", path, "", "Accept", "text/html")) }
	get("/docs").shows(t, 200, "/docs/start/web", s.URL+"/docs/reference")
	get("/docs?q=code_challenge").shows(t, 200, "/docs/login#")
	get("/docs/operating/backup").shows(t, 200, "griot backup")
	get("/docs/none").shows(t, 404, "not_found")
	get("/docs/operating/alerts/none").shows(t, 404, "not_found")
	get("/docs/reference").shows(t, 200, "/docs/reference/introspectToken")
	get("/docs/reference/introspectToken").shows(t, 200, s.URL+"/oauth2/introspect", "client_not_confidential")
	get("/docs/reference/none").shows(t, 404, "not_found")
}

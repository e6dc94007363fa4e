package api_test

import (
	"strings"
	"testing"

	"example.com/griot/internal/db/dbtest"
)

func TestErrors_ArePagesForPeople(t *testing.T) {
	w := newService(t, dbtest.SQLite(t), "pro")
	for _, path := range []string{"/nowhere", "/dashboard/nowhere"} {
		for lang, want := range map[string]string{"en": "There is nothing at this address", "fr": "Il n’y a rien à cette adresse"} {
			got := w.do("GET", path, "", "Accept: text/html,application/xhtml+xml", "Accept-Language: "+lang)
			page := got.raw
			if got.status != 404 || !strings.HasPrefix(got.header.Get("Content-Type"), "text/html") || !strings.Contains(page, want) || !strings.Contains(page, "not_found") {
				t.Errorf("%s in %s: %d %s", path, lang, got.status, page)
			}
			if !strings.Contains(page, `href="/dashboard"`) || strings.Contains(page, map[string]string{"en": "the application", "fr": "l’application"}[lang]) {
				t.Errorf("%s in %s advises to go back to an application, which sent nobody here: %s", path, lang, page)
			}
		}
	}
	// A program that accepts text/html, like Java's client, gets the response for programs.
	got := w.do("GET", "/api/me", "", "Accept: text/html, image/gif, *; q=.2")
	if got.status != 401 || got.header.Get("Content-Type") != "application/json" {
		t.Errorf("%d %v", got.status, got.header)
	}
}

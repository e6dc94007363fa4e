package webtest

import (
	"net/http"
	"regexp"
	"testing"
)

var versionField = regexp.MustCompile(`name="version" value="([^"]+)"`)

// Version returns the version that the page's form carries.
func (p Page) Version(t testing.TB) string {
	t.Helper()
	m := versionField.FindStringSubmatch(p.Body)
	if m == nil {
		t.Fatalf("%d, the form has no version", p.Status)
	}
	return m[1]
}

// ShowsStale checks a page that refuses a stale form and shows it again with these texts.
func (p Page) ShowsStale(t testing.TB, texts ...string) {
	t.Helper()
	if p.Status != http.StatusConflict {
		t.Fatalf("a stale form: %d, want 409", p.Status)
	}
	p.Status = http.StatusOK // Shows requires this status
	p.Shows(t, append(texts, "These values changed after you opened the page.")...)
}

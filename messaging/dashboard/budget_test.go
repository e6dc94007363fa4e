package dashboard_test

import (
	"net/http"
	"strings"
	"testing"

	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/web/webtest"
)

// Limits for the cost of opening a page of the dashboard for the first time.
const (
	mostBytes    = 26_000
	mostRequests = 13
)

// Every page with its own address is measured, as seen by the owner of an account.
func TestBudget_OfPages(t *testing.T) {
	t.Parallel()
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	owner, visitor := w.SignIn(messagingtest.OwnerEmail), w.Person()
	weighed := 0
	for _, r := range w.Pages.Routes() {
		if r.Method != http.MethodGet || strings.Contains(r.Path, "{") || strings.HasSuffix(r.Path, "/events") {
			continue
		}
		for _, who := range []*messagingtest.Person{owner, visitor} {
			page, ok := webtest.Weigh(t, who.Client.Jar, w.URL+r.Path)
			if !ok {
				continue
			}
			weighed++
			if t.Logf("%s: %d bytes in %d requests", r.Path, page.Bytes, page.Requests); page.Bytes > mostBytes || page.Requests > mostRequests {
				t.Errorf("%s: %d bytes in %d requests, want at most %d in %d", r.Path, page.Bytes, page.Requests, mostBytes, mostRequests)
			}
		}
	}
	if weighed < 8 {
		t.Errorf("%d pages were weighed, want all", weighed)
	}
}

package dashboard_test

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"testing"

	"example.com/griot/auth/authtest"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/web/webtest"
)

// The size limits of a page of the dashboard for a first-time visitor.
const (
	mostBytes    = 26_000
	mostRequests = 13
)

func TestBudget_OfPages(t *testing.T) {
	t.Parallel()
	s := authtest.NewSite(t, dbtest.SQLite(t))
	pages := s.Lived()
	pages["sign-in"] = "/dashboard/sign-in"
	signedIn, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	s.SignIn()
	base, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	signedIn.SetCookies(base, []*http.Cookie{{Name: "svc_dashboard", Value: s.Cookie}})
	for name, path := range pages {
		var jar http.CookieJar = signedIn
		if name == "sign-in" {
			jar = nil
		}
		w, ok := webtest.Weigh(t, jar, s.URL+path)
		if t.Logf("%s: %d bytes in %d requests", name, w.Bytes, w.Requests); !ok || w.Bytes > mostBytes || w.Requests > mostRequests {
			t.Errorf("%s: a page: %v, of %d bytes in %d requests, want at most %d in %d", name, ok, w.Bytes, w.Requests, mostBytes, mostRequests)
		}
	}
}

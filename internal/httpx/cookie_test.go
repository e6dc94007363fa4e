package httpx_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.com/griot/internal/httpx"
)

func TestTokenCookie(t *testing.T) {
	t.Parallel()
	token := strings.Repeat("A", httpx.TokenLength)
	for _, secure := range []bool{true, false} {
		c := httpx.TokenCookie{Name: "svc_x", Secure: secure}
		w := httptest.NewRecorder()
		c.Set(w, token, 60)
		c.Clear(w)
		set := w.Result().Cookies()
		if len(set) != 2 || set[0].Value != token || set[0].MaxAge != 60 || set[1].MaxAge >= 0 {
			t.Fatalf("got %+v, want the token for 60 s, and then its removal", set)
		}
		for _, s := range set {
			if !s.HttpOnly || s.SameSite != http.SameSiteLaxMode || s.Path != "/" || s.Secure != secure {
				t.Errorf("got %+v, want HttpOnly, SameSite=Lax, for all paths, Secure as asked", s)
			}
		}
	}
	for _, secure := range []bool{true, false} {
		c := httpx.TokenCookie{Name: "svc_x", Path: "/x", Secure: secure, Host: true}
		w := httptest.NewRecorder()
		c.Set(w, token, 60)
		set, name, path := w.Result().Cookies()[0], "svc_x", "/x"
		if secure {
			name, path = "__Host-svc_x", "/"
		}
		if set.Name != name || set.Path != path || set.Secure != secure {
			t.Errorf("got %+v, want %s for %s", set, name, path)
		}
		r := httptest.NewRequest(http.MethodGet, "/x", nil)
		r.AddCookie(set)
		other := c
		other.Secure = !secure
		if !slices.Equal(c.Tokens(r), []string{token}) || !slices.Equal(c.Values(r), []string{token}) || len(other.Values(r)) != 0 {
			t.Errorf("read %q, %q, and with the other name %q", c.Tokens(r), c.Values(r), other.Values(r))
		}
	}
	if got := (httpx.TokenCookie{Name: "svc_x"}).Tokens(httptest.NewRequest(http.MethodGet, "/", nil)); len(got) != 0 {
		t.Errorf("from nothing: %q", got)
	}
}

// Another host of the domain can set a cookie with the same name. Each is tried, and two valid ones count as none.
func TestOneOf_CookiesOfOneName(t *testing.T) {
	t.Parallel()
	cookie := httpx.TokenCookie{Name: "svc_x"}
	own, other, unknown := strings.Repeat("A", httpx.TokenLength), strings.Repeat("B", httpx.TokenLength), strings.Repeat("C", httpx.TokenLength)
	known := func(value string) (string, bool, error) { return "of " + value, value == own || value == other, nil }
	for name, tt := range map[string]struct {
		given []string
		want  string
	}{
		"none":                       {nil, ""},
		"an unknown one":             {[]string{unknown}, ""},
		"the own alone":              {[]string{own}, own},
		"behind one of another form": {[]string{"short", "", own}, own},
		"behind an unknown one":      {[]string{unknown, own}, own},
		"before an unknown one":      {[]string{own, unknown}, own},
		"twice":                      {[]string{own, own}, own},
		"two that differ":            {[]string{own, other}, ""},
		"two that differ, turned":    {[]string{other, own}, ""},
		"two between others":         {[]string{unknown, own, "short", other, own}, ""},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		for _, value := range tt.given {
			r.AddCookie(&http.Cookie{Name: "svc_x", Value: value})
		}
		got, ok, err := httpx.OneOf(cookie.Tokens(r), known)
		if err != nil || ok != (tt.want != "") || ok && got != "of "+tt.want || !ok && got != "" {
			t.Errorf("%s: %q, %v, %v, want %q", name, got, ok, err, tt.want)
		}
	}
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	for i := range 200 {
		r.AddCookie(&http.Cookie{Name: "svc_x", Value: strconv.Itoa(i)})
	}
	if n := len(cookie.Values(r)); n != 8 {
		t.Errorf("%d of 200 cookies are tried, want 8", n)
	}
	failed := errors.New("no database")
	if _, ok, err := httpx.OneOf([]string{own, other}, func(value string) (string, bool, error) { return value, true, failed }); ok || !errors.Is(err, failed) {
		t.Errorf("%v, %v, want the error", ok, err)
	}
}

package httpx_test

import (
	"net/http"
	"net/http/httptest"
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
		if c.Token(r) != token || c.Value(r) != token || other.Value(r) != "" {
			t.Errorf("read %q, %q, and with the other name %q", c.Token(r), c.Value(r), other.Value(r))
		}
	}
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	if got := (httpx.TokenCookie{Name: "svc_x"}).Token(r); got != "" {
		t.Errorf("from nothing: %q", got)
	}
	for _, value := range []string{"short", token} {
		r.AddCookie(&http.Cookie{Name: "svc_x", Value: value})
	}
	if got := (httpx.TokenCookie{Name: "svc_x"}).Token(r); got != token {
		t.Errorf("behind another of the name: %q", got)
	}
}

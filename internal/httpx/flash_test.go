package httpx_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"example.com/griot/internal/httpx"
	"example.com/griot/internal/seal"
)

func TestFlash_IsReadOnceAndByItsSessionOnly(t *testing.T) {
	t.Parallel()
	key, err := seal.ParseKey(seal.NewMasterKey())
	if err != nil {
		t.Fatal(err)
	}
	f := httpx.Flash{Name: "flash", Path: "/dashboard", Box: key.Box("flash")}
	w := httptest.NewRecorder()
	f.Set(w, "one session", "a secret")
	set := w.Result().Cookies()[0]
	if set.Path != "/dashboard" || !set.HttpOnly || set.MaxAge != 60 || set.SameSite != http.SameSiteLaxMode {
		t.Errorf("the cookie is %v", set)
	}
	take := func(session, value string) (string, *httptest.ResponseRecorder) {
		r := httptest.NewRequest(http.MethodGet, "/dashboard", http.NoBody)
		if value != "" {
			r.AddCookie(&http.Cookie{Name: "flash", Value: value})
		}
		w := httptest.NewRecorder()
		return f.Take(w, r, session), w
	}
	got, w := take("one session", set.Value)
	if got != "a secret" || w.Result().Cookies()[0].MaxAge != -1 {
		t.Errorf("got %q, cookies %v, want the text, and the cookie removed", got, w.Result().Cookies())
	}
	for session, value := range map[string]string{"another session": set.Value, "one session": "x" + set.Value, "no cookie": ""} {
		if got, _ := take(session, value); got != "" {
			t.Errorf("%s: got %q, want nothing", session, got)
		}
	}
}

// Another host's cookie with the same name hides nothing.
func TestFlash_BehindAnotherOfTheName(t *testing.T) {
	t.Parallel()
	key, err := seal.ParseKey(seal.NewMasterKey())
	if err != nil {
		t.Fatal(err)
	}
	f := httpx.Flash{Name: "flash", Path: "/dashboard", Box: key.Box("flash")}
	sealed := func(session, text string) *http.Cookie {
		w := httptest.NewRecorder()
		f.Set(w, session, text)
		return w.Result().Cookies()[0]
	}
	own := sealed("one session", "a secret")
	for name, tt := range map[string]struct {
		given []*http.Cookie
		want  string
	}{
		"behind another": {[]*http.Cookie{{Name: "flash", Value: "x"}, sealed("another session", "foreign"), own}, "a secret"},
		"twice":          {[]*http.Cookie{own, own}, "a secret"},
		"two of them":    {[]*http.Cookie{own, sealed("one session", "another secret")}, ""},
	} {
		r := httptest.NewRequest(http.MethodGet, "/dashboard", http.NoBody)
		for _, c := range tt.given {
			r.AddCookie(c)
		}
		if got := f.Take(httptest.NewRecorder(), r, "one session"); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// With https, neither another host nor an http page can set the cookie.
func TestFlash_HasAPrefixOverHTTPS(t *testing.T) {
	t.Parallel()
	key, err := seal.ParseKey(seal.NewMasterKey())
	if err != nil {
		t.Fatal(err)
	}
	f := httpx.Flash{Name: "flash", Path: "/dashboard", Secure: true, Box: key.Box("flash")}
	w := httptest.NewRecorder()
	f.Set(w, "a session", "a secret")
	set := w.Result().Cookies()[0]
	r := httptest.NewRequest(http.MethodGet, "/dashboard", http.NoBody)
	r.AddCookie(set)
	if set.Name != "__Host-flash" || set.Path != "/" || !set.Secure || f.Take(httptest.NewRecorder(), r, "a session") != "a secret" {
		t.Errorf("the cookie is %v", set)
	}
}

func TestOwnPath(t *testing.T) {
	t.Parallel()
	for next, want := range map[string]string{
		"/dashboard":                        "/dashboard",
		"/dashboard/clients":                "/dashboard/clients",
		"/dashboard/events?type=a%20b&x=1":  "/dashboard/events?type=a+b&x=1",
		"":                                  "/dashboard",
		"/":                                 "/dashboard",
		"/dashboards":                       "/dashboard",
		"/authorize":                        "/dashboard",
		"//evil.example/dashboard":          "/dashboard",
		"https://evil.example/dashboard":    "/dashboard",
		"https:/dashboard":                  "/dashboard",
		"javascript:alert(1)":               "/dashboard",
		`/dashboard\..\..\evil`:             "/dashboard",
		"/dashboard/../authorize":           "/dashboard",
		"/dashboard/%2e%2e/authorize":       "/dashboard",
		"/dashboard//evil.example":          "/dashboard",
		"/dashboard/%0d%0aSet-Cookie:%20a=": "/dashboard/%0D%0ASet-Cookie:%20a=",
		"%":                                 "/dashboard",
	} {
		if got := httpx.OwnPath(next, "/dashboard"); got != want {
			t.Errorf("OwnPath(%q) = %q, want %q", next, got, want)
		}
	}
}

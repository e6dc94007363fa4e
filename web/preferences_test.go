package web_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/griot/internal/actor"
	"example.com/griot/internal/i18n"
	"example.com/griot/web"
	"example.com/griot/web/webtest"
)

// A URL might contain data that its page must not repeat, and the response to a form has no URL of its own.
func TestPreferences_AreOfferedWhereTheAddressMayBeRepeated(t *testing.T) {
	t.Parallel()
	pages := webtest.NewPages(t)
	serve := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := pages.Serve(w, r, http.StatusOK, web.PageTerms, web.LegalText{}); err != nil {
			t.Error(err)
		}
	})
	for _, give := range []struct {
		method, path string
		want         bool
	}{
		{http.MethodGet, "/terms", true},
		{http.MethodGet, "/terms?from=a%26b&to=c", true},
		{http.MethodPost, "/terms", false},
		{http.MethodGet, "/callback?code=x", false},
		{http.MethodGet, "/callback?error=denied&state=x", false},
		{http.MethodGet, "/invitation?token=x", false},
	} {
		body, err := io.ReadAll(get(t, serve, give.method, give.path, "Accept-Language", "en").Body)
		if err != nil {
			t.Fatal(err)
		}
		page := string(body)
		if got := strings.Contains(page, `class="preferences"`); got != give.want {
			t.Errorf("%s %s: offered %t, want %t", give.method, give.path, got, give.want)
		}
		if strings.Contains(give.path, "from=") && !strings.Contains(page, `href="?from=a%26b&amp;to=c&amp;lang=fr"`) {
			t.Errorf("%s: the links lose the query", give.path)
		}
	}
}

// Another host of the domain can set a cookie with the same name. If one value is valid, it is used, and if two
// are, none is.
func TestLanguage_CookiesOfOneName(t *testing.T) {
	t.Parallel()
	for cookies, want := range map[string]i18n.Lang{
		"griot_lang=fr": i18n.FR, "griot_lang=xx; griot_lang=fr": i18n.FR, "griot_lang=fr; griot_lang=": i18n.FR, "griot_lang=fr; griot_lang=fr": i18n.FR,
		"griot_lang=fr; griot_lang=en": i18n.EN, "griot_lang=xx; griot_locale=en-XX; griot_locale=fr": i18n.EN, "griot_locale=; griot_locale=fr": i18n.FR, "": i18n.EN,
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/terms", http.NoBody)
		r.Header.Set("Accept-Language", "en")
		r.Header.Set("Cookie", cookies)
		if got := web.Language(r); got != want {
			t.Errorf("%q: %s, want %s", cookies, got, want)
		}
	}
}

// Rules: L25.
func TestLanguage_OfTheApplication(t *testing.T) {
	t.Parallel()
	request := func(query, cookies string) *http.Request {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/authorize"+query, http.NoBody)
		r.Header.Set("Accept-Language", "en")
		r.Header.Set("Cookie", cookies)
		return r
	}
	for _, give := range []struct {
		query, cookies string
		want           i18n.Lang
	}{
		{"", "", i18n.EN},
		{"?ui_locales=fr-CA+en", "", i18n.FR},
		{"?ui_locales=fr", "griot_locale=en", i18n.FR},
		{"?ui_locales=fr", "griot_lang=en", i18n.EN},
		{"?ui_locales=de", "griot_locale=fr", i18n.FR},
	} {
		if got := web.Language(request(give.query, give.cookies)); got != give.want {
			t.Errorf("%q with the cookies %q: %s, want %s", give.query, give.cookies, got, give.want)
		}
	}
	r := request("", "griot_lang=en")
	r = r.WithContext(actor.With(r.Context(), actor.Actor{Lang: i18n.FR}))
	if got := web.Language(r); got != i18n.FR {
		t.Errorf("%s, want the language of the actor", got)
	}
}

package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"example.com/griot/internal/actor"
	"example.com/griot/internal/i18n"
)

// A person's preferences are stored in cookies. Links set them, and work without
// scripts: they are any page's URL with one of these parameters.
const (
	langParam  = "lang"  // fr, en
	themeParam = "theme" // light, dark

	localesParam = "ui_locales" // of an application that requests a login (OpenID Connect Core 1.0 §3.1.2.1)

	langCookie   = "griot_lang"
	themeCookie  = "griot_theme"
	localeCookie = "griot_locale" // language that an application requested; a person's own choice takes precedence

	choiceSeconds = 365 * 24 * 60 * 60
	localeSeconds = 300 // the lifetime of a login's own cookie
)

// Theme is light or dark. If it is empty, the system setting applies.
type Theme string

// The themes that a person can choose.
const (
	Light Theme = "light"
	Dark  Theme = "dark"
)

// Language returns the language of texts and pages for a request. It was found once if the request has an actor
// ([httpx.API.WithActor]). Otherwise, it is the one that the person chose, the one that the application requested
// (ui_locales), or the one that the browser requests.
func Language(r *http.Request) i18n.Lang {
	if lang := actor.From(r.Context()).Lang; lang != "" {
		return lang
	}
	if lang, ok := chosen(r, langCookie, i18n.First); ok {
		return lang
	}
	if strings.Contains(r.URL.RawQuery, localesParam) || strings.Contains(r.URL.RawQuery, "%") {
		if lang, ok := i18n.First(r.URL.Query().Get(localesParam)); ok {
			return lang
		}
	}
	if lang, ok := chosen(r, localeCookie, i18n.First); ok {
		return lang
	}
	return i18n.Pick(r.Header.Get("Accept-Language"))
}

// KeepLocale stores the language that an application requested for the duration of its login.
func KeepLocale(w http.ResponseWriter, locales string) {
	if lang, ok := i18n.First(locales); ok {
		setCookie(w, localeCookie, string(lang), localeSeconds)
	}
}

func themeOf(r *http.Request) Theme {
	theme, _ := chosen(r, themeCookie, func(value string) (Theme, bool) { return Theme(value), Theme(value) == Light || Theme(value) == Dark })
	return theme
}

// chosen returns the valid value of the cookies of a name. Another host of the domain can have set one of them, so two
// different values count as none.
func chosen[T comparable](r *http.Request, name string, parse func(string) (T, bool)) (value T, ok bool) {
	for _, c := range r.CookiesNamed(name) {
		next, valid := parse(c.Value)
		if valid && ok && next != value {
			var none T
			return none, false
		}
		if valid {
			value, ok = next, true
		}
	}
	return value, ok
}

func setCookie(w http.ResponseWriter, name, value string, seconds int) {
	http.SetCookie(w, &http.Cookie{Name: name, Value: value, Path: "/", MaxAge: seconds, HttpOnly: true, SameSite: http.SameSiteLaxMode}) //nolint:gosec // nothing in it is secret
}

// choose stores the preference in the URL and redirects to the same URL without it. It reports whether it did.
func choose(w http.ResponseWriter, r *http.Request) bool {
	if r.Method != http.MethodGet || r.URL.RawQuery == "" {
		return false
	}
	q := r.URL.Query()
	lang, chosen := i18n.First(q.Get(langParam))
	if chosen {
		setCookie(w, langCookie, string(lang), choiceSeconds)
	}
	if theme := Theme(q.Get(themeParam)); theme == Light || theme == Dark {
		setCookie(w, themeCookie, string(theme), choiceSeconds)
		chosen = true
	}
	if !chosen {
		return false
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Location", without(q)) // only the query, so that it can't redirect to another site
	w.WriteHeader(http.StatusSeeOther)
	return true
}

// without returns the relative URL of a page with this query and no preference.
func without(q url.Values) string {
	q.Del(langParam)
	q.Del(themeParam)
	return "?" + q.Encode()
}

// frame is the data for the frame of every page.
type frame struct {
	Lang        i18n.Lang
	Theme       Theme
	Other       i18n.Lang // the language to change to
	changeable  bool
	address     string // of this page, without preferences
	joinedByAnd string
}

func newFrame(lang i18n.Lang) frame {
	f := frame{Lang: lang, Other: i18n.EN}
	if lang == i18n.EN {
		f.Other = i18n.FR
	}
	return f
}

// secretParams are URL parameters that no page repeats. A page with one of them has no links for
// preferences, because it must not be requested twice.
var secretParams = []string{"code", "state", "token", "key"}

// frameOf returns the frame of the requested page.
func frameOf(r *http.Request) frame {
	q := r.URL.Query()
	f := newFrame(Language(r))
	f.Theme = themeOf(r)
	f.changeable = (r.Method == http.MethodGet || r.Method == http.MethodHead) && !slices.ContainsFunc(secretParams, q.Has)
	if f.changeable {
		f.address = without(q)
		if f.address != "?" {
			f.joinedByAnd = "&"
		}
	}
	return f
}

// Changeable reports whether the page has a URL at which its language and theme can be changed.
func (f frame) Changeable() bool { return f.changeable }

// LangURL returns the page's URL in the other language.
func (f frame) LangURL() string { return f.address + f.joinedByAnd + langParam + "=" + string(f.Other) }

// ThemeURL returns the page's URL in a theme.
func (f frame) ThemeURL(theme Theme) string {
	return f.address + f.joinedByAnd + themeParam + "=" + string(theme)
}

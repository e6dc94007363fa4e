package web

import (
	"net/http"
	"net/url"
	"slices"

	"example.com/griot/internal/i18n"
)

// How a person wants pages to be is kept in cookies of theirs, and chosen by links that
// work without scripts: any page's address with one of these parameters.
const (
	langParam  = "lang"  // fr, en
	themeParam = "theme" // light, dark

	langCookie   = "griot_lang"
	themeCookie  = "griot_theme"
	localeCookie = "griot_locale" // what an application asked for; a person's own choice is above it

	choiceSeconds = 365 * 24 * 60 * 60
	localeSeconds = 300 // as long as a login's own cookie
)

// Theme is light or dark; empty is what the person's system says.
type Theme string

// The themes that a person can choose.
const (
	Light Theme = "light"
	Dark  Theme = "dark"
)

// Language is the language that a page is shown in to who asks for it: the one they chose,
// the one that the application asked for, or the one that their browser asks for.
func Language(r *http.Request) i18n.Lang { return LanguageFor(r, "") }

// LanguageFor is [Language] for who an application sends, with its ui_locales.
func LanguageFor(r *http.Request, locales string) i18n.Lang {
	if lang, ok := chosen(r, langCookie, i18n.First); ok {
		return lang
	}
	if lang, ok := i18n.First(locales); ok {
		return lang
	}
	if lang, ok := chosen(r, localeCookie, i18n.First); ok {
		return lang
	}
	return i18n.Pick(r.Header.Get("Accept-Language"))
}

// KeepLocale remembers the language that an application asked for while its login lasts.
func KeepLocale(w http.ResponseWriter, locales string) {
	if lang, ok := i18n.First(locales); ok {
		setCookie(w, localeCookie, string(lang), localeSeconds)
	}
}

func themeOf(r *http.Request) Theme {
	theme, _ := chosen(r, themeCookie, func(value string) (Theme, bool) { return Theme(value), Theme(value) == Light || Theme(value) == Dark })
	return theme
}

// chosen returns the valid value of the cookies of a name. Another host of the domain can have set one of them, so that two different
// values are none.
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

// choose keeps what the address chooses and leads to the same address without it. It
// reports whether it did.
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
	w.Header().Set("Location", without(q)) // of the query alone, so that it leads nowhere else
	w.WriteHeader(http.StatusSeeOther)
	return true
}

// without is the relative address of a page with this query and no choice.
func without(q url.Values) string {
	q.Del(langParam)
	q.Del(themeParam)
	return "?" + q.Encode()
}

// frame is what is around every page.
type frame struct {
	Lang        i18n.Lang
	Theme       Theme
	Other       i18n.Lang // the language to change to
	changeable  bool
	address     string // of this page, without choices
	joinedByAnd string
}

func newFrame(lang i18n.Lang) frame {
	f := frame{Lang: lang, Other: i18n.EN}
	if lang == i18n.EN {
		f.Other = i18n.FR
	}
	return f
}

// secretParams are parameters of addresses that no page repeats, and at which none is asked for twice.
var secretParams = []string{"code", "state", "token", "key"}

// frameOf is the frame of the page that a request asks for.
func frameOf(r *http.Request) frame {
	f := newFrame(Language(r))
	f.Theme = themeOf(r)
	q := r.URL.Query()
	f.changeable = (r.Method == http.MethodGet || r.Method == http.MethodHead) && !slices.ContainsFunc(secretParams, q.Has)
	if f.changeable {
		f.address = without(q)
		if f.address != "?" {
			f.joinedByAnd = "&"
		}
	}
	return f
}

// Changeable reports whether the page has an address at which its language and theme can be chosen.
func (f frame) Changeable() bool { return f.changeable }

// LangURL is the page's address in the other language.
func (f frame) LangURL() string { return f.address + f.joinedByAnd + langParam + "=" + string(f.Other) }

// ThemeURL is the page's address in a theme.
func (f frame) ThemeURL(theme Theme) string {
	return f.address + f.joinedByAnd + themeParam + "=" + string(theme)
}

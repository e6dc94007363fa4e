package httpx

import (
	"net/http"

	"example.com/griot/internal/seal"
)

const flashSeconds = 60

// Flash passes a value from a form to the page after its 303, which shows it once: a secret, or a confirmation. The
// value is in a cookie, sealed for one session, so it is in no URL and no other session can read it.
type Flash struct {
	Name   string // of the cookie
	Path   string // of the pages
	Secure bool   // the name then has the prefix __Host-, and the path is /
	Box    *seal.Box
}

// Set passes a text to the next page of a session.
func (f Flash) Set(w http.ResponseWriter, session, text string) {
	f.write(w, f.Box.Seal([]byte(text), session), flashSeconds)
}

// Take returns the text for a session's page and removes it; "" if there is none.
func (f Flash) Take(w http.ResponseWriter, r *http.Request, session string) string {
	name, _ := hostOnly(f.Name, f.Path, f.Secure)
	values := Values(r, name)
	if len(values) == 0 {
		return ""
	}
	f.write(w, "", -1)
	text, _, _ := OneOf(values, func(value string) (string, bool, error) {
		text, err := f.Box.Open(value, session)
		return string(text), err == nil, nil
	})
	return text
}

func (f Flash) write(w http.ResponseWriter, value string, maxAge int) {
	name, path := hostOnly(f.Name, f.Path, f.Secure)
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // Secure follows the public address
		Name: name, Value: value, Path: path, MaxAge: maxAge, HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: f.Secure,
	})
}

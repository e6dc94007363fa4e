package login

import (
	"errors"
	"net/http"
	"strings"
	"time"

	griot "example.com/griot/client"
)

const (
	cookieLife = 5 * time.Minute // a login lasts 90 seconds, and its code is handed back for 120 more at most
	stateMark  = 8               // characters of the state that name its cookie
)

// Start returns a handler that starts a login: the one that a "Sign in" button leads to. Its query may have ui_locales.
func (c *Client) Start() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.Redirect(w, r, StartOptions{UILocales: r.URL.Query().Get("ui_locales")})
	})
}

// Redirect starts a login, and sends the browser to the service. A cookie of its own keeps the attempt for this browser, so
// that two tabs do not disturb each other.
func (c *Client) Redirect(w http.ResponseWriter, r *http.Request, o StartOptions) {
	a := c.Attempt(o)
	kept := a.State + "." + a.Verifier
	if a.Nonce != "" {
		kept += "." + a.Nonce
	}
	http.SetCookie(w, c.cookie(a.State, kept, cookieLife))
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, a.URL, http.StatusSeeOther)
}

// Finish ends a login, in a handler of the redirect address. It writes only the header that removes the login's cookie. With
// each error the person may start again.
func (c *Client) Finish(w http.ResponseWriter, r *http.Request) (*SignedIn, error) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer") // the address has the code
	returned := r.URL.Query()
	state := returned.Get("state")
	var a *Attempt
	if kept, err := r.Cookie(c.cookieName(state)); err == nil {
		own, rest, _ := strings.Cut(kept.Value, ".")
		verifier, nonce, _ := strings.Cut(rest, ".")
		a = &Attempt{State: own, Verifier: verifier, Nonce: nonce}
		if own == state {
			http.SetCookie(w, c.cookie(state, "", -time.Second))
		}
	}
	return c.Complete(r.Context(), returned, a)
}

// Callback returns a handler of the redirect address. signedIn begins the application's own session; failed shows that nobody
// was signed in, and offers to start again; nil: it is a line of text.
func (c *Client) Callback(signedIn func(w http.ResponseWriter, r *http.Request, who *SignedIn), failed func(w http.ResponseWriter, r *http.Request, err error)) http.Handler {
	if failed == nil {
		failed = showFailure
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who, err := c.Finish(w, r)
		if err != nil {
			failed(w, r, err)
			return
		}
		signedIn(w, r, who)
	})
}

// showFailure responds with 400 where the service did, for example to a code that was used, and with 502 where it failed.
func showFailure(w http.ResponseWriter, _ *http.Request, err error) {
	var own *Error
	var refused *griot.Error
	if errors.As(err, &own) || errors.As(err, &refused) && refused.HTTPStatus == http.StatusBadRequest {
		http.Error(w, "The login was not completed. Please start again.", http.StatusBadRequest)
		return
	}
	http.Error(w, "The login could not be completed. Please start again.", http.StatusBadGateway)
}

func (c *Client) secure() bool { return strings.HasPrefix(c.redirectURI, "https:") }

func (c *Client) cookieName(state string) string {
	name := "griot_login_" + state[:min(stateMark, len(state))]
	if c.secure() {
		return "__Host-" + name
	}
	return name
}

// cookie keeps an attempt; a life that is negative removes it.
func (c *Client) cookie(state, value string, life time.Duration) *http.Cookie {
	return &http.Cookie{ //nolint:gosec // it is Secure wherever the application is
		Name: c.cookieName(state), Value: value, Path: "/", MaxAge: int(life / time.Second), HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: c.secure(),
	}
}

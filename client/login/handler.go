package login

import (
	"errors"
	"net/http"
	"strings"
	"time"

	griot "example.com/griot/client"
)

const (
	cookieLife = 5 * time.Minute // a login lasts 90 seconds, and its code can be used for at most 120 more
	stateMark  = 8               // number of characters of the state in the cookie's name
)

// Start returns a handler that starts a login. Link to it from a "Sign in" button. The optional query parameter
// ui_locales sets the languages.
func (c *Client) Start() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.Redirect(w, r, StartOptions{UILocales: r.URL.Query().Get("ui_locales")})
	})
}

// Redirect starts a login and redirects the browser to the service. It stores the attempt in a separate cookie, so
// that two tabs do not interfere.
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

// Finish completes a login in a handler of the redirect URI. It writes only the header that removes the login's
// cookie. After any error, the person can start again.
func (c *Client) Finish(w http.ResponseWriter, r *http.Request) (*SignedIn, error) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer") // the URL contains the code
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

// Callback returns a handler of the redirect URI. signedIn must start the application's own session. failed must show
// that the login failed and offer to start again. If failed is nil, the handler responds with a line of text.
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

// showFailure responds with 400 if the service refused the login, for example because the code was already used, and
// with 502 if the service failed.
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

// cookie returns the cookie that stores an attempt. A negative life removes it.
func (c *Client) cookie(state, value string, life time.Duration) *http.Cookie {
	return &http.Cookie{ //nolint:gosec // it is Secure if the application uses HTTPS
		Name: c.cookieName(state), Value: value, Path: "/", MaxAge: int(life / time.Second), HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: c.secure(),
	}
}

package demo

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"example.com/griot/internal/id"
	"example.com/griot/web"
)

const (
	cookiePrefix = "griot_demo_"
	lifetime     = 10 * time.Minute
	randomBytes  = 32 // of a state and of a verifier: 43 characters each
)

// login is a login that the demo started, as its cookie holds it.
type login struct {
	State, Verifier string
	ClientID        string
	Until           time.Time
}

// start redirects the browser to the authorization service.
func (a *App) start(w http.ResponseWriter, r *http.Request) {
	clients := a.clients()
	n, err := strconv.Atoi(r.PathValue("n"))
	if err != nil || n < 0 || n >= len(clients) {
		a.refuse(w, r, http.StatusNotFound, refusal{reason: "demo.reason_client"})
		return
	}
	c := clients[n]
	l := login{State: id.Token(randomBytes), Verifier: id.Token(randomBytes), ClientID: c.ClientID, Until: a.now().Add(lifetime)}
	if err := a.storeLogin(w, &l); err != nil {
		http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
		return
	}
	challenge := sha256.Sum256([]byte(l.Verifier))
	query := url.Values{
		"response_type":         {"code"},
		"client_id":             {c.ClientID},
		"redirect_uri":          {c.RedirectURI},
		"state":                 {l.State},
		"code_challenge":        {base64.RawURLEncoding.EncodeToString(challenge[:])},
		"code_challenge_method": {"S256"},
	}
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, a.authURL+"/authorize?"+query.Encode(), http.StatusSeeOther)
}

// storeLogin stores a login in a cookie of its own, so that two tabs don't disturb each other.
func (a *App) storeLogin(w http.ResponseWriter, l *login) error {
	plain, err := json.Marshal(l)
	if err != nil {
		return err
	}
	a.setCookie(w, cookieName(l.State), a.logins.Seal(plain, l.State), int(lifetime.Seconds()))
	return nil
}

// takeLogin returns the login that this browser started with state, and deletes its cookie: a state is used once.
func (a *App) takeLogin(w http.ResponseWriter, r *http.Request, state string) (*login, bool) {
	cookie, err := r.Cookie(cookieName(state))
	if err != nil {
		return nil, false
	}
	plain, err := a.logins.Open(cookie.Value, state)
	if err != nil {
		return nil, false
	}
	var l login
	if json.Unmarshal(plain, &l) != nil || l.State != state || !a.now().Before(l.Until) {
		return nil, false
	}
	a.setCookie(w, cookieName(state), "", -1)
	return &l, true
}

func (a *App) setCookie(w http.ResponseWriter, name, value string, maxAge int) {
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // Secure where there is TLS: dev is served over http on loopback
		Name: name, Value: value, Path: startPath, MaxAge: maxAge,
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: strings.HasPrefix(a.baseURL, "https:"),
	})
}

// cookieName names a login's cookie by the first characters of its state, which are as random as the rest.
func cookieName(state string) string { return cookiePrefix + state[:min(8, len(state))] }

// client returns the client with this id.
func (a *App) client(clientID string) (n int, c Client, ok bool) {
	for n, c := range a.clients() {
		if c.ClientID == clientID {
			return n, c, true
		}
	}
	return 0, Client{}, false
}

// clientData is a client as pages show it. Its address is absolute, so that the cookie is set for the host of the redirect address.
func (a *App) clientData(n int, c *Client) web.DemoClient {
	return web.DemoClient{Name: c.Name, ClientID: c.ClientID, Type: c.Type, Mode: c.Mode, StartURL: a.baseURL + startPath + "/start/" + strconv.Itoa(n)}
}

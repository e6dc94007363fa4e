// Package demo is the demo application of `griot dev`. It signs people in with [login.Client] over HTTP, as a real
// application does, and shows the client's checks. Codes and tokens are neither shown nor logged. A code whose login
// this browser didn't start is not exchanged, because tests and scripts use the same redirect address.
package demo

import (
	"net/http"
	"strings"
	"time"

	griot "example.com/griot/client"
	"example.com/griot/client/login"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/i18n"
	"example.com/griot/internal/seal"
	"example.com/griot/web"
)

// Client is an OAuth client that the demo can sign in with.
type Client struct {
	Name         string
	ClientID     string
	ClientSecret string // of a CONFIDENTIAL client
	RedirectURI  string
	Mode         string // TEST or LIVE
	Type         string // PUBLIC or CONFIDENTIAL
}

// Options are the dependencies of the demo.
type Options struct {
	AuthURL string // the login service, which is also its issuer
	BaseURL string // the origin of the demo itself
	Pages   *web.Pages
	Clients []Client
	Now     clock.Now
}

// client is a client of the demo, with its protocol.
type client struct {
	Client
	login *login.Client
}

// App is the demo application.
type App struct {
	authURL, baseURL string
	pages            *web.Pages
	clients          []client
	now              clock.Now
	attempts         *seal.Box
}

const (
	startPath    = "/dev/demo"
	callbackPath = startPath + "/callback"
	callTime     = 10 * time.Second
)

// New returns the demo. Logins in progress end with the process, because the key of their cookies exists only in memory.
func New(o Options) (*App, error) {
	key, _ := seal.ParseKey(seal.NewMasterKey()) // well-formed by construction
	a := &App{authURL: strings.TrimSuffix(o.AuthURL, "/"), baseURL: strings.TrimSuffix(o.BaseURL, "/"), pages: o.Pages, now: o.Now, attempts: key.Box("demo login")}
	for _, c := range o.Clients {
		l, err := login.New(login.Options{
			Issuer: o.AuthURL, ClientID: c.ClientID, ClientSecret: c.ClientSecret, RedirectURI: c.RedirectURI, Mode: c.Mode, Now: o.Now,
			Scopes:   []string{login.ScopeOpenID, login.ScopeProfile, login.ScopePhone},
			Requests: griot.Options{Tries: 1, Timeout: callTime}, // a person waits for the page
		})
		if err != nil {
			return nil, err
		}
		a.clients = append(a.clients, client{c, l})
	}
	return a, nil
}

// Mount adds the demo's pages.
func (a *App) Mount(mux *http.ServeMux) {
	mux.HandleFunc("GET "+startPath, a.home)
	mux.HandleFunc("GET "+startPath+"/start/{n}", a.start)
	mux.HandleFunc("GET "+callbackPath, a.callback)
}

func (a *App) home(w http.ResponseWriter, r *http.Request) {
	var data web.Demo
	for n := range a.clients {
		data.Clients = append(data.Clients, a.clientData(n))
	}
	a.render(w, r, http.StatusOK, web.PageDemo, data)
}

// render writes a page that must not be cached.
func (a *App) render(w http.ResponseWriter, r *http.Request, status int, page string, data any) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Language", string(language(r)))
	if err := a.pages.Serve(w, r, status, page, data); err != nil {
		http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
	}
}

func language(r *http.Request) i18n.Lang { return web.Language(r) }

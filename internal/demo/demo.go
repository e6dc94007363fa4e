package demo

import (
	"net/http"
	"strings"

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

// Options are what the demo needs.
type Options struct {
	AuthURL string // the authorization service, which is also its issuer
	BaseURL string // the origin that the demo itself is served at
	Pages   *web.Pages
	Clients func() []Client
	HTTP    *http.Client
	Now     clock.Now
}

// App is the demo application.
type App struct {
	authURL, baseURL string
	pages            *web.Pages
	clients          func() []Client
	http             *http.Client
	now              clock.Now
	logins           *seal.Box
}

const (
	startPath    = "/dev/demo"
	callbackPath = startPath + "/callback"
)

// New returns the demo. Logins that are under way end with the process, because the key of their cookies does.
func New(o Options) *App {
	key, _ := seal.ParseKey(seal.NewMasterKey()) // well-formed by construction
	return &App{
		authURL: strings.TrimSuffix(o.AuthURL, "/"), baseURL: strings.TrimSuffix(o.BaseURL, "/"),
		pages: o.Pages, clients: o.Clients, http: o.HTTP, now: o.Now, logins: key.Box("demo login"),
	}
}

// Mount adds the demo's pages.
func (a *App) Mount(mux *http.ServeMux) {
	mux.HandleFunc("GET "+startPath, a.home)
	mux.HandleFunc("GET "+startPath+"/start/{n}", a.start)
	mux.HandleFunc("GET "+callbackPath, a.callback)
}

func (a *App) home(w http.ResponseWriter, r *http.Request) {
	var data web.Demo
	for n, c := range a.clients() {
		data.Clients = append(data.Clients, a.clientData(n, &c))
	}
	a.render(w, r, http.StatusOK, web.PageDemo, data)
}

// render writes a page that may not be cached.
func (a *App) render(w http.ResponseWriter, r *http.Request, status int, page string, data any) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Language", string(language(r)))
	if err := a.pages.Serve(w, r, status, page, data); err != nil {
		http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
	}
}

func language(r *http.Request) i18n.Lang { return web.Language(r) }

package api

import (
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"

	"griot/internal/fault"
	"griot/internal/httpx"
)

// origin is the service's public address.
type origin struct {
	url    string // as browsers write it in Origin
	host   string // without its port
	port   string
	secure bool
}

func parseOrigin(s string) (origin, error) {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil ||
		strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return origin{}, errors.New("auth: the public address must be http(s)://host[:port], without a path")
	}
	o := origin{host: strings.ToLower(u.Hostname()), port: u.Port(), secure: u.Scheme == "https"}
	if o.port == map[bool]string{false: "80", true: "443"}[o.secure] {
		o.port = "" // browsers leave it out
	}
	o.url = u.Scheme + "://" + o.host
	if strings.Contains(o.host, ":") {
		o.url = u.Scheme + "://[" + o.host + "]"
	}
	if o.port != "" {
		o.url += ":" + o.port
	}
	return o, nil
}

// redirectPages sends a browser that opened a page by another name of this
// machine (localhost for 127.0.0.1) to the service's own: cookies and Origin
// belong to a name. Names of other machines are left alone, because a proxy may rewrite them.
func (o origin) redirectPages(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && isPage(r.URL.Path) && o.misspelt(r.Host) {
			http.Redirect(w, r, o.url+r.URL.RequestURI(), http.StatusSeeOther) //nolint:gosec // to the own origin only
			return
		}
		next.ServeHTTP(w, r)
	})
}

func isPage(path string) bool {
	return path == "/authorize" || path == "/waiting.html" || path == "/docs/errors"
}

func (o origin) misspelt(hostport string) bool {
	host, port, err := net.SplitHostPort(hostport)
	if err != nil {
		host, port = strings.Trim(hostport, "[]"), ""
	}
	host = strings.ToLower(host)
	return host != o.host && port == o.port && loopback(host) && loopback(o.host)
}

func loopback(host string) bool {
	return host == "localhost" || host == "127.0.0.1" || host == "::1"
}

// browser guards what a page of this service asks for: only from its own Origin, and only with a session.
func (a *API) browser(next httpx.HandlerFunc) http.Handler {
	return a.http.Handle(func(w http.ResponseWriter, r *http.Request) error {
		if !httpx.SameOrigin(r, a.own.url) {
			return fault.AuthOriginMismatch.Err()
		}
		if len(sessionTokens(r)) == 0 {
			return fault.AuthSessionMissing.Err()
		}
		return next(w, r)
	})
}

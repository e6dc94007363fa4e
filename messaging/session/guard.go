package session

import (
	"net/http"

	"example.com/griot/internal/actor"
	"example.com/griot/internal/httpx"
	"example.com/griot/messaging/account"
)

// Guard makes the routes of one surface: its handlers run for those only whom the line in the table permits.
type Guard struct {
	Service *Service
	HTTP    *httpx.API
	// Refuse turns a refusal into the surface's answer, as pages lead to where one signs in; nil: it is answered as it is.
	Refuse func(w http.ResponseWriter, r *http.Request, refusal error) error
}

// Handler answers the request of a caller.
type Handler func(w http.ResponseWriter, r *http.Request, c *account.Caller) error

// PersonHandler answers the request of a person who is signed in, in an account or not.
type PersonHandler func(w http.ResponseWriter, r *http.Request, of *account.Session) error

// Person is the access of routes for everybody who is signed in.
const Person = httpx.Callers("who is signed in")

// Route is for the callers that the permit includes.
func (g *Guard) Route(method, path string, p Permit, h Handler) httpx.Route {
	return g.route(method, path, p, func(w http.ResponseWriter, r *http.Request) error {
		c, err := g.Service.Caller(w, r, p)
		if err != nil {
			return g.refuse(w, r, err)
		}
		return h(w, by(w, r, c.Actor()), c)
	})
}

// Person is for everybody who is signed in, in an account or not.
func (g *Guard) Person(method, path string, h PersonHandler) httpx.Route {
	return g.route(method, path, Person, func(w http.ResponseWriter, r *http.Request) error {
		of, err := g.Service.Find(w, r)
		if err != nil {
			return g.refuse(w, r, err)
		}
		return h(w, by(w, r, of.Actor()), of)
	})
}

// Anyone is for everybody. The bodies of such requests are bounded together.
func (g *Guard) Anyone(method, path string, h httpx.HandlerFunc) httpx.Route {
	route := g.route(method, path, httpx.Anyone, func(w http.ResponseWriter, r *http.Request) error {
		return h(w, by(w, r, actor.Actor{Type: actor.System}))
	})
	if method != http.MethodGet && method != "" {
		route.Handler = g.HTTP.LimitUnauthenticated(&g.Service.bodies, route.Handler)
	}
	return route
}

func (g *Guard) route(method, path string, access httpx.Access, h httpx.HandlerFunc) httpx.Route {
	return httpx.Route{Method: method, Path: path, Access: access, Handler: g.HTTP.Handle(h)}
}

// by returns the request with its actor, for the audit log.
func by(w http.ResponseWriter, r *http.Request, a actor.Actor) *http.Request {
	a.Address, a.RequestID = httpx.ClientIP(r), httpx.RequestID(w)
	return r.WithContext(actor.With(r.Context(), a))
}

func (g *Guard) refuse(w http.ResponseWriter, r *http.Request, refusal error) error {
	if g.Refuse == nil {
		return refusal
	}
	return g.Refuse(w, r, refusal)
}

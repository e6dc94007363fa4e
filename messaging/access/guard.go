package access

import (
	"net/http"

	"example.com/griot/internal/actor"
	"example.com/griot/internal/httpx"
	"example.com/griot/messaging/account"
)

// Guard builds the routes of one surface, the JSON API or the dashboard. A handler runs only for callers that its route permits.
type Guard struct {
	Service *Service
	HTTP    *httpx.API
	// Refuse turns a refusal into the surface's response: pages redirect to the sign-in page. If nil, the error is returned unchanged.
	Refuse func(w http.ResponseWriter, r *http.Request, refusal error) error
}

// Handler handles the request of a permitted caller.
type Handler func(w http.ResponseWriter, r *http.Request, c *account.Caller) error

// PersonHandler handles the request of a signed-in user, who might not belong to an account.
type PersonHandler func(w http.ResponseWriter, r *http.Request, of *account.Session) error

// Person is the access of routes for all signed-in users.
const Person = httpx.Callers("who is signed in")

// Route returns a route for the callers that the permit includes.
func (g *Guard) Route(method, path string, p account.Permit, h Handler) httpx.Route {
	return g.route(method, path, p, func(w http.ResponseWriter, r *http.Request) error {
		c, err := g.Service.Caller(w, r, p)
		if err != nil {
			return g.refuse(w, r, err)
		}
		return h(w, g.HTTP.WithActor(w, r, c.Actor()), c)
	})
}

// Person returns a route for all signed-in users, including those without an account.
func (g *Guard) Person(method, path string, h PersonHandler) httpx.Route {
	return g.route(method, path, Person, func(w http.ResponseWriter, r *http.Request) error {
		of, err := g.Service.Find(w, r)
		if err != nil {
			return g.refuse(w, r, err)
		}
		return h(w, g.HTTP.WithActor(w, r, of.Actor()), of)
	})
}

// Anyone returns a route without authentication. The bodies of such requests share one limit.
func (g *Guard) Anyone(method, path string, h httpx.HandlerFunc) httpx.Route {
	route := g.route(method, path, httpx.Anyone, func(w http.ResponseWriter, r *http.Request) error {
		return h(w, g.HTTP.WithActor(w, r, actor.Actor{Type: actor.System}))
	})
	if method != http.MethodGet && method != "" {
		route.Handler = g.HTTP.LimitUnauthenticated(&g.Service.bodies, route.Handler)
	}
	return route
}

func (g *Guard) route(method, path string, access httpx.Access, h httpx.HandlerFunc) httpx.Route {
	return httpx.Route{Method: method, Path: path, Access: access, Handler: g.HTTP.Handle(h)}
}

func (g *Guard) refuse(w http.ResponseWriter, r *http.Request, refusal error) error {
	if g.Refuse == nil {
		return refusal
	}
	return g.Refuse(w, r, refusal)
}

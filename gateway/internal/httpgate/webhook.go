package httpgate

import (
	"errors"
	"io"
	"net/http"
)

// WebhookHandler implements [gateway.WebhookReceiver]: /receipts and what else the kind has, and
// /events for gateways that know one address only.
func (g *Gateway) WebhookHandler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		routes := g.routesAt(r.URL.Path)
		if len(routes) == 0 {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		admitted := false
		for _, route := range routes { // before a byte of the body is read
			admitted = admitted || route.Settings.Auth.admits(r)
		}
		if !admitted {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		answer := &answerWriter{ResponseWriter: w, again: routes[0].Settings.Again}
		if r.Method == http.MethodGet {
			answer.WriteHeader(g.take(r, nil))
		} else {
			g.webhook.ServeHTTP(answer, r)
		}
		if answer.status == http.StatusOK {
			_, _ = io.WriteString(w, routes[0].Settings.Answer)
		}
	})
}

// answerWriter remembers the status, and says in the gateway's way that a call is to come again.
type answerWriter struct {
	http.ResponseWriter
	again  int
	status int
}

// WriteHeader implements [http.ResponseWriter].
func (w *answerWriter) WriteHeader(status int) {
	if status == http.StatusServiceUnavailable && w.again != 0 {
		status = w.again
	}
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap is for [http.ResponseController].
func (w *answerWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// routesAt returns which calls are taken at a path. At the common one are those that can be told apart.
func (g *Gateway) routesAt(path string) []Webhook {
	var routes []Webhook
	for _, r := range g.routes {
		if r.Settings.Enabled() && (path == r.Path || path == "/events" && len(r.Settings.When) > 0) {
			routes = append(routes, r)
		}
	}
	return routes
}

// Errors of a route's Store for calls that can't be used. They are answered as if they were stored where they are readable:
// the gateway would bring them again and again.
var (
	ErrInvalidEvent = errors.New("it lacks what such a call must say")
	ErrNoNumber     = errors.New("it is from or to something that is no number")
	// ErrIncomplete says that a call brings a part of something whose other parts have not come: it must come again.
	ErrIncomplete = errors.New("other parts have not come")
)

// take judges a call's signature and stores what it tells.
func (g *Gateway) take(r *http.Request, body []byte) int {
	genuine := false
	for _, route := range g.routesAt(r.URL.Path) {
		h := route.Settings
		if !h.Auth.admits(r) || !h.Auth.genuine(r, body, g.now()) {
			continue
		}
		genuine = true
		calls, ok := newCalls(r, body, h.List)
		if !ok {
			return http.StatusBadRequest
		}
		if status := g.store(r, route, calls); status != 0 {
			return status
		}
	}
	if !genuine {
		return http.StatusUnauthorized
	}
	return http.StatusOK // some other news
}

// store stores each call that is of the route's sort. What was stored before one that fails comes again with it, and changes
// nothing then. It returns 0 if none was of the sort.
func (g *Gateway) store(r *http.Request, route Webhook, calls calls) int {
	status, unusable := 0, 0
	for c := range calls.each {
		if !c.fits(route.Settings) {
			continue
		}
		status = http.StatusOK
		err := route.Store(r.Context(), route.Settings, c)
		switch {
		case errors.Is(err, ErrInvalidEvent):
			unusable++
		case errors.Is(err, ErrNoNumber):
			g.log.Warn("a message was left alone", "err", ErrNoNumber)
		case errors.Is(err, ErrIncomplete):
			return http.StatusServiceUnavailable
		case err != nil:
			g.log.Error("storing what the gateway told", "err", err)
			return http.StatusServiceUnavailable
		}
	}
	if unusable > 0 && !calls.many {
		return http.StatusBadRequest
	}
	return status
}

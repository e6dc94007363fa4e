package webtest

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// A Listener has a URL before it serves, so that a service can know its own.
type Listener struct {
	URL    string
	server *httptest.Server
}

// Listen returns a listener on this machine, which ends with the test.
func Listen(t testing.TB) *Listener {
	s := httptest.NewUnstartedServer(nil)
	t.Cleanup(s.Close)
	return &Listener{"http://" + s.Listener.Addr().String(), s}
}

// Serve serves a handler at the listener's URL.
func (l *Listener) Serve(h http.Handler) {
	l.server.Config.Handler = h
	l.server.Start()
}

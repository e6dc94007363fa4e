package webtest

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// meter counts the bytes that a site sends to browsers, including headers.
type meter struct {
	Bytes, Requests, Styles atomic.Int64 // Styles counts the requests for style sheets
}

type meteredListener struct {
	net.Listener
	meter *meter
}

func (l meteredListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return meteredConn{c, l.meter}, nil
}

type meteredConn struct {
	net.Conn
	meter *meter
}

func (c meteredConn) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	c.meter.Bytes.Add(int64(n))
	return n, err
}

// NewSite serves the pages together with the responses of a test's service.
func NewSite(t *testing.T, mux *http.ServeMux) *httptest.Server {
	t.Helper()
	mux.Handle("/static/", NewPages(t).Static(http.NotFound))
	site := httptest.NewServer(mux)
	t.Cleanup(site.Close)
	return site
}

// NewMeteredSite returns a site with a meter.
func NewMeteredSite(t *testing.T, mux *http.ServeMux) (site string, m *meter) {
	t.Helper()
	m = &meter{}
	mux.Handle("/static/", NewPages(t).Static(http.NotFound))
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.Requests.Add(1)
		if strings.HasSuffix(r.URL.Path, ".css") {
			m.Styles.Add(1)
		}
		mux.ServeHTTP(w, r)
	}))
	server.Listener = meteredListener{server.Listener, m}
	server.Start()
	t.Cleanup(server.Close)
	return server.URL, m
}

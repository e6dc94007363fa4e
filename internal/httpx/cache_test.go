package httpx_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"testing"

	"example.com/griot/internal/httpx"
	"example.com/griot/internal/logtest"
	"example.com/griot/internal/waittest"
)

func TestCaching_OfWhatFails(t *testing.T) {
	t.Parallel()
	a := newAPI(io.Discard)
	public := func(end func(w http.ResponseWriter) error) http.Handler {
		return a.Handle(func(w http.ResponseWriter, _ *http.Request) error {
			w.Header().Set("Cache-Control", "public, max-age=60")
			return end(w)
		})
	}
	h := a.Handler([]httpx.Route{
		{Method: "GET", Path: "/good", Access: httpx.Anyone, Handler: public(func(w http.ResponseWriter) error { return httpx.WriteJSON(w, 200, "good") })},
		{Method: "GET", Path: "/bad", Access: httpx.Anyone, Handler: public(func(http.ResponseWriter) error { return errors.New("bad") })},
		{Method: "GET", Path: "/panic", Access: httpx.Anyone, Handler: public(func(http.ResponseWriter) error { panic("bad") })},
	})
	for path, want := range map[string]string{"/good": "public, max-age=60", "/bad": "no-store", "/panic": "no-store", "/none": "no-store"} {
		if w, _ := do(t, h, "GET", path, ""); w.Header().Get("Cache-Control") != want {
			t.Errorf("%s: %d with Cache-Control %q, want %q", path, w.Code, w.Header().Get("Cache-Control"), want)
		}
	}
}

// Responses of a server's handlers outside of an API are not cached either.
func TestServe_KeepsAnswersOutOfCaches(t *testing.T) {
	t.Parallel()
	var c net.ListenConfig
	l, err := c.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- httpx.Serve(ctx, l, http.NotFoundHandler(), (&logtest.Recorder{}).Logger()) }()
	client := http.Client{Timeout: waittest.Limit}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+l.Addr().String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if got := res.Header.Get("Cache-Control"); got != "no-store" {
		t.Errorf("got %q, want no-store", got)
	}
	client.CloseIdleConnections()
	stop()
	if err := waittest.Receive(t, done); err != nil {
		t.Errorf("the server ended with %v", err)
	}
}

package httpx_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"example.com/griot/internal/actor"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/i18n"
)

func TestWithActor_ReadsTheRequest(t *testing.T) {
	t.Parallel()
	a := newAPI(io.Discard)
	a.Lang = func(r *http.Request) i18n.Lang { return i18n.Pick(r.Header.Get("Accept-Language")) }
	var got actor.Actor
	h := a.Handler([]httpx.Route{{Method: "GET", Path: "/", Access: httpx.Anyone, Handler: a.Handle(func(w http.ResponseWriter, r *http.Request) error {
		got = actor.From(a.WithActor(w, r, actor.Actor{Type: actor.Key, ID: "key_1"}).Context())
		return nil
	})}})
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
	r.RemoteAddr = "[::ffff:203.0.113.7]:4000"
	r.Header.Set("Accept-Language", "en")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	want := actor.Actor{Type: actor.Key, ID: "key_1", Address: netip.MustParseAddr("203.0.113.7"), RequestID: w.Header().Get(httpx.RequestIDHeader), Lang: i18n.EN}
	if got != want || want.RequestID == "" {
		t.Errorf("%+v, want %+v", got, want)
	}
}

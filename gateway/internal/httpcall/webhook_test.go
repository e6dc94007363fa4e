package httpcall

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/griot/internal/waittest"
)

func TestWebhook(t *testing.T) {
	t.Parallel()
	var taken []string
	h := &Webhook{MaxBody: 10_000, MaxHeld: 1 << 20, Handle: func(_ *http.Request, body []byte) int {
		taken = append(taken, string(body))
		return http.StatusTeapot
	}}
	for _, tt := range []struct {
		method string
		body   io.Reader
		want   int
	}{
		{http.MethodGet, nil, 405},
		{http.MethodPost, strings.NewReader("abc"), 418},
		{http.MethodPost, http.NoBody, 418},
		{http.MethodPost, strings.NewReader(strings.Repeat("a", 10_000)), 418},
		{http.MethodPost, strings.NewReader(strings.Repeat("a", 10_001)), 413},
		{http.MethodPost, struct{ io.Reader }{strings.NewReader(strings.Repeat("a", 10_001))}, 413}, // of unknown length
		{http.MethodPost, io.MultiReader(strings.NewReader("ab"), &cutOff{}), 400},
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(tt.method, "/", tt.body))
		if w.Code != tt.want || w.Body.Len() != 0 {
			t.Errorf("%s %v: %d %q, want %d", tt.method, tt.body, w.Code, w.Body, tt.want)
		}
	}
	if len(taken) != 3 || taken[0] != "abc" || taken[1] != "" || len(taken[2]) != 10_000 {
		t.Errorf("taken: %d", len(taken))
	}
	if n := h.bodies.Held(); n != 0 {
		t.Errorf("%d bytes are still held", n)
	}
}

type cutOff struct{}

func (*cutOff) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// If there are more concurrent bodies than the limit, from many addresses, those above the limit get 503.
func TestWebhook_Flood(t *testing.T) {
	t.Parallel()
	inside, leave := make(chan struct{}), make(chan struct{})
	h := &Webhook{MaxBody: 100_000, MaxHeld: 3_000_000, Handle: func(*http.Request, []byte) int {
		inside <- struct{}{}
		<-leave
		return http.StatusOK
	}}
	body := bytes.Repeat([]byte("a"), 100_000)
	results := make(chan int)
	call := func(n int) {
		w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(body))
		r.RemoteAddr = fmt.Sprintf("192.0.2.%d:4711", n)
		h.ServeHTTP(w, r)
		results <- w.Code
	}
	held, refused := 0, 0
	for n := range 60 {
		go call(n)
		select {
		case <-inside:
			held++
		case code := <-results:
			if refused++; code != http.StatusServiceUnavailable {
				t.Fatalf("got %d", code)
			}
		case <-time.After(waittest.Limit):
			t.Fatal("a body is neither read nor refused")
		}
	}
	if held < 2 || refused == 0 || h.bodies.Held() > h.MaxHeld {
		t.Errorf("%d bodies are held and %d refused, with %d bytes", held, refused, h.bodies.Held())
	}
	close(leave)
	for range held {
		if code := waittest.Receive(t, results); code != http.StatusOK {
			t.Errorf("got %d", code)
		}
	}
	go func() { <-inside }()
	go call(0)
	if code := waittest.Receive(t, results); code != http.StatusOK || h.bodies.Held() != 0 {
		t.Errorf("after the flood: %d, %d bytes held", code, h.bodies.Held())
	}
}

package httpx_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/intake"
	"example.com/griot/internal/waittest"
)

func TestLimitUnauthenticated(t *testing.T) {
	t.Parallel()
	a := newAPI(io.Discard)
	a.Kinds.Busy = apierror.RateLimited
	h := a.Handler([]httpx.Route{{Method: "POST", Path: "/", Access: httpx.Anyone, Handler: a.LimitUnauthenticated(new(intake.Budget), httpx.Call(a, 200, func(_ *http.Request, in *input) (*input, error) { return in, nil }))}})
	const around = len(`{"name":""}`)
	for length, want := range map[int]int{10: 200, 4096: 200, 4097: 200, httpx.MaxUnauthenticated: 200, httpx.MaxUnauthenticated + 1: 413, httpx.MaxBody: 413} {
		body := `{"name":"` + strings.Repeat("x", max(length-around, 0)) + `"}`
		if w, _ := do(t, h, "POST", "/", body); w.Code != want || want == 200 && len(w.Body.String()) < len(body) {
			t.Errorf("%d bytes: %d, %d bytes come back; want %d", length, w.Code, w.Body.Len(), want)
		}
		r := httptest.NewRequestWithContext(t.Context(), "POST", "/", struct{ io.Reader }{strings.NewReader(body)}) // of unknown length
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, r); w.Code != want {
			t.Errorf("%d bytes, unannounced: %d, want %d", length, w.Code, want)
		}
	}
}

// Bodies without an end fill the budget. The next one is refused immediately, and the budget is free again after them.
func TestLimitUnauthenticated_Together(t *testing.T) {
	t.Parallel()
	a := newAPI(io.Discard)
	a.Kinds.Busy = apierror.RateLimited
	h := a.Handler([]httpx.Route{{Method: "POST", Path: "/", Access: httpx.Anyone, Handler: a.LimitUnauthenticated(new(intake.Budget), httpx.Call(a, 200, func(_ *http.Request, in *input) (*input, error) { return in, nil }))}})
	end, given, answers := make(chan struct{}), make(chan struct{}), make(chan *httptest.ResponseRecorder, 1)
	inside, refused := 0, 0
	for refused == 0 && inside < 5000 {
		r := httptest.NewRequestWithContext(t.Context(), "POST", "/", &slow{text: strings.Repeat(" ", httpx.MaxUnauthenticated-2), given: given, end: end})
		go func() {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			answers <- w
		}()
		select {
		case <-given:
			inside++
		case w := <-answers:
			refused++
			if w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") == "" {
				t.Errorf("answered %d %v, want 429 with Retry-After", w.Code, w.Header())
			}
		case <-time.After(waittest.Limit):
			t.Fatal("neither taken in nor sent away")
		}
	}
	if held := inside * httpx.MaxUnauthenticated; held == 0 || held > 64<<20 {
		t.Errorf("%d bodies, of %d bytes together, are held", inside, held)
	}
	close(end)
	for range inside {
		if w := waittest.Receive(t, answers); w.Code != http.StatusOK {
			t.Fatalf("a body that ended well: %d %s", w.Code, w.Body)
		}
	}
	if w, _ := do(t, h, "POST", "/", `{"name":"x"}`); w.Code != http.StatusOK {
		t.Errorf("afterward: %d", w.Code)
	}
}

// slow returns its text, signals it, and delays the end.
type slow struct {
	text  string
	given chan<- struct{}
	end   <-chan struct{}
}

func (s *slow) Read(b []byte) (int, error) {
	if s.text == "" {
		select {
		case s.given <- struct{}{}:
		case <-s.end:
		}
		<-s.end
		return copy(b, "{}"), io.EOF
	}
	n := copy(b, s.text)
	s.text = s.text[n:]
	return n, nil
}

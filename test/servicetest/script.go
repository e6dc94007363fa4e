package servicetest

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
)

// Script is a server that has its handlers answer the next requests, and then a service.
type Script struct {
	URL string

	service http.Handler

	mu       sync.Mutex
	handlers []Handler
	path     string // of the requests that it is about; empty: all
	seen     []Request
}

// Request is one that was made.
type Request struct {
	*http.Request
	Body []byte
}

// Handler answers a request in the place of a service, or has it answer.
type Handler func(w http.ResponseWriter, r *http.Request, service http.Handler)

// Then sets the handlers of the next requests, and forgets the requests before.
func (s *Script) Then(handlers ...Handler) { s.ThenOf("", handlers...) }

// ThenOf is [Script.Then] for the requests to one path; others reach the service.
func (s *Script) ThenOf(path string, handlers ...Handler) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.path, s.handlers, s.seen = path, handlers, nil
}

// Seen returns the requests since then.
func (s *Script) Seen() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen
}

// ServeHTTP implements [http.Handler].
func (s *Script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		hangUp(w)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if h := s.next(r, body); h != nil {
		h(w, r, s.service)
		return
	}
	s.service.ServeHTTP(w, r)
}

func (s *Script) next(r *http.Request, body []byte) Handler {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.path != "" && r.URL.Path != s.path {
		return nil
	}
	s.seen = append(s.seen, Request{r, body})
	if len(s.handlers) == 0 {
		return nil
	}
	h := s.handlers[0]
	s.handlers = s.handlers[1:]
	return h
}

// BreakBefore is a connection that breaks before the service sees the request.
func BreakBefore(w http.ResponseWriter, _ *http.Request, _ http.Handler) { hangUp(w) }

// BreakAfter is a connection that breaks when the service has done what was asked.
func BreakAfter(w http.ResponseWriter, r *http.Request, service http.Handler) {
	service.ServeHTTP(httptest.NewRecorder(), r)
	hangUp(w)
}

// BreakWithin is a connection that breaks in the middle of the answer.
func BreakWithin(w http.ResponseWriter, r *http.Request, service http.Handler) {
	rec := httptest.NewRecorder()
	service.ServeHTTP(rec, r)
	w.Header().Set("Content-Length", "9999")
	w.WriteHeader(rec.Code)
	_, _ = w.Write(rec.Body.Bytes()[:min(20, rec.Body.Len())])
	_ = http.NewResponseController(w).Flush()
	hangUp(w)
}

// hangUp closes the connection.
func hangUp(w http.ResponseWriter) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		_ = conn.Close()
	}
}

// Pass has the service answer.
func Pass(w http.ResponseWriter, r *http.Request, service http.Handler) { service.ServeHTTP(w, r) }

// Silent gives no answer until the client goes away.
func Silent(_ http.ResponseWriter, r *http.Request, _ http.Handler) { <-r.Context().Done() }

// Respond answers in the service's place. headers are names and values in turn.
func Respond(status int, body string, headers ...string) Handler {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

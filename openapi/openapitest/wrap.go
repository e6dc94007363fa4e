package openapitest

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// Wrap returns h with every exchange validated against the document; a difference fails
// t. A response is held until it was checked, so that a failure is reported before the
// client continues. So h must not stream.
func Wrap(t testing.TB, document []byte, h http.Handler) http.Handler {
	t.Helper()
	d, err := load(document)
	if err != nil {
		t.Fatalf("openapi: %v", err)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent := &exchange{request: r.Clone(r.Context())}
		held := &response{to: w}
		sent.response = held
		if r.Body == nil || r.Body == http.NoBody {
			h.ServeHTTP(held, r)
		} else {
			body := teeBody{Reader: io.TeeReader(r.Body, &sent.body), Closer: r.Body}
			r.Body = body
			h.ServeHTTP(held, r)
			_, _ = io.CopyN(io.Discard, body, restOfBody) // the part that h left unread was accepted, too
		}
		for _, problem := range d.check(sent) {
			t.Errorf("openapi: %s %s -> %d: %s", r.Method, sent.request.URL.Path, held.code(), problem)
		}
		held.release()
	})
}

// WrapServed is like [Wrap] with the document that h serves at /openapi.yaml.
func WrapServed(t testing.TB, h http.Handler) http.Handler {
	t.Helper()
	served := httptest.NewRecorder()
	h.ServeHTTP(served, httptest.NewRequest(http.MethodGet, "/openapi.yaml", nil))
	return Wrap(t, served.Body.Bytes(), h)
}

// restOfBody is the maximum number of unread bytes of a body that are checked.
const restOfBody = 1 << 20

// exchange is a request as it arrived, its body, and the response.
type exchange struct {
	request  *http.Request
	body     bytes.Buffer
	response *response
}

// teeBody is a request's body that stores the bytes that are read.
type teeBody struct {
	io.Reader
	io.Closer
}

// response holds a response until it is sent.
type response struct {
	to     http.ResponseWriter
	header http.Header // at the time of the status
	status int
	body   bytes.Buffer
}

func (w *response) Header() http.Header { return w.to.Header() }

// WriteHeader copies the headers, because the handler can change the map afterward.
func (w *response) WriteHeader(status int) {
	if w.status == 0 && status >= http.StatusOK {
		w.status, w.header = status, w.to.Header().Clone()
	}
}

func (w *response) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(b)
}

// Flush does nothing, because the response is held.
func (w *response) Flush() {}

// Unwrap lets http.ResponseController set deadlines.
func (w *response) Unwrap() http.ResponseWriter { return w.to }

func (w *response) code() int {
	w.WriteHeader(http.StatusOK) // like the server for a handler that wrote nothing
	return w.status
}

func (w *response) release() {
	status := w.code()
	live := w.to.Header()
	clear(live)
	for name, values := range w.header {
		live[name] = values
	}
	w.to.WriteHeader(status)
	_, _ = w.to.Write(w.body.Bytes()) // a client that has disconnected is no error
}

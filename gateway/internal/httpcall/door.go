package httpcall

import (
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// Door takes a provider's calls to us. Before anything of a call is known to be the
// provider's, its body is bounded, in time too, and so are all bodies together.
type Door struct {
	MaxBody int64                                  // bytes of one body
	MaxHeld int64                                  // bytes of all bodies in memory; beyond, 503
	Take    func(r *http.Request, body []byte) int // checks the signature of the raw body, then acts; returns the status to answer
	held    atomic.Int64
}

const (
	bodyTime   = 10 * time.Second // for a body to come in
	firstGrasp = 4 << 10
)

var errFull = errors.New("too many bodies at once")

// ServeHTTP implements [http.Handler]. It answers POST only, with a status and no body.
func (d *Door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	if r.ContentLength > d.MaxBody {
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		return
	}
	// Where no deadline can be set, the server's own holds.
	late := time.AfterFunc(bodyTime, func() { _ = http.NewResponseController(w).SetReadDeadline(time.Unix(1, 0)) })
	body, release, err := d.read(http.MaxBytesReader(w, r.Body, d.MaxBody))
	late.Stop()
	defer release()
	_, tooLarge := errors.AsType[*http.MaxBytesError](err)
	switch {
	case tooLarge:
		w.WriteHeader(http.StatusRequestEntityTooLarge)
	case errors.Is(err, errFull):
		w.Header().Set("Retry-After", "5")
		w.WriteHeader(http.StatusServiceUnavailable)
	case err != nil:
		w.WriteHeader(http.StatusBadRequest)
	default:
		w.WriteHeader(d.Take(r, body))
	}
}

// read takes in a body. Memory is reserved as it grows: who holds it has sent as much.
func (d *Door) read(from io.Reader) (body []byte, release func(), err error) {
	var reserved int64
	release = func() { d.held.Add(-reserved) }
	for {
		if len(body) == cap(body) {
			more := max(int64(cap(body)), firstGrasp)
			reserved += more
			if d.held.Add(more) > d.MaxHeld {
				return nil, release, errFull
			}
			body = append(make([]byte, 0, int64(cap(body))+more), body...)
		}
		n, err := from.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		if errors.Is(err, io.EOF) {
			return body, release, nil
		}
		if err != nil {
			return nil, release, err
		}
	}
}

package intake

import (
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// Budget counts the memory that bodies of unknown senders take. It is safe for concurrent use.
type Budget struct{ held atomic.Int64 }

const (
	bodyTimeout      = 10 * time.Second // for a body to come in
	firstReservation = 1 << 10          // bytes; more are reserved as the body comes, so that a sender of nothing holds little
)

// Errors of [Budget.Read], beside those of the connection.
var (
	ErrTooLarge = errors.New("the body is too large")
	ErrFull     = errors.New("too many bodies at once")
)

// Held returns how many bytes the bodies in memory take.
func (m *Budget) Held() int64 { return m.held.Load() }

// Read reads the body of a request, of at most each bytes, unless all bodies in memory would then have more than all. The
// caller calls release when it no longer needs the body, also after an error.
func (m *Budget) Read(w http.ResponseWriter, r *http.Request, each, all int64) (body []byte, release func(), err error) {
	if r.ContentLength > each {
		return nil, func() {}, ErrTooLarge
	}
	// Where no deadline can be set, the server's own holds.
	late := time.AfterFunc(bodyTimeout, func() { _ = http.NewResponseController(w).SetReadDeadline(time.Unix(1, 0)) })
	defer late.Stop()
	body, release, err = m.read(http.MaxBytesReader(w, r.Body, each), r.ContentLength, all)
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		err = ErrTooLarge
	}
	return body, release, err
}

// read reserves memory as the body grows, so that only what was sent is held.
func (m *Budget) read(from io.Reader, length, all int64) (body []byte, release func(), err error) {
	var reserved int64
	release = func() { m.held.Add(-reserved) }
	first := int64(firstReservation)
	if length >= 0 && length < first {
		first = length + 1 // with place for the read that finds the end
	}
	for {
		if len(body) == cap(body) {
			more := max(int64(cap(body)), first)
			reserved += more
			if m.held.Add(more) > all {
				return nil, release, ErrFull
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

package intake

import (
	"errors"
	"io"
	"net/http"
	"time"
)

const (
	bodyTimeout      = 10 * time.Second // for receiving a body
	firstReservation = 1 << 10          // bytes; more are reserved as the body arrives, so that a sender that sends nothing uses little
)

// Errors of [Budget.Read], in addition to those of the connection.
var (
	ErrTooLarge = errors.New("the body is too large")
	ErrFull     = errors.New("too many bodies at once")
)

// Read reads the body of a request, of at most each bytes, unless all bodies in memory would then have more than all,
// or those of its address more than an eighth of that. The caller must call release when it no longer needs the body,
// also after an error.
func (b *Budget) Read(w http.ResponseWriter, r *http.Request, each, all int64) (body []byte, release func(), err error) {
	if r.ContentLength > each {
		return nil, func() {}, ErrTooLarge
	}
	// If no deadline can be set, the server's own applies.
	late := time.AfterFunc(bodyTimeout, func() { _ = http.NewResponseController(w).SetReadDeadline(time.Unix(1, 0)) })
	defer late.Stop()
	held := b.reserve(r, each, all)
	body, err = read(http.MaxBytesReader(w, r.Body, each), r.ContentLength, held)
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		err = ErrTooLarge
	}
	return body, held.release, err
}

// read reserves memory as the body grows, so that only the received part is counted.
func read(from io.Reader, length int64, held *reservation) (body []byte, err error) {
	first := int64(firstReservation)
	if length >= 0 && length < first {
		first = length + 1 // with room for the read that finds the end
	}
	for {
		if len(body) == cap(body) {
			more := min(max(int64(cap(body)), first), held.each+1-int64(cap(body))) // each, and the read that finds the end
			if !held.grow(more) {
				return nil, ErrFull
			}
			body = append(make([]byte, 0, int64(cap(body))+more), body...)
		}
		n, err := from.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		if errors.Is(err, io.EOF) {
			return body, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

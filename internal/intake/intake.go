package intake

import (
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// Room is the memory that bodies of strangers take. It is safe for concurrent use.
type Room struct{ held atomic.Int64 }

const (
	bodyTime   = 10 * time.Second // for a body to come in
	firstGrasp = 1 << 10          // more is reserved when so much has come: who sends nothing holds little
)

// Errors of [Room.Read], beside those of the connection.
var (
	ErrTooLarge = errors.New("the body is too large")
	ErrFull     = errors.New("too many bodies at once")
)

// Held returns how many bytes the bodies in memory take.
func (m *Room) Held() int64 { return m.held.Load() }

// Read takes in the body of a request, of at most each bytes, unless all bodies in
// memory would then have more than all. The caller calls release when it needs the
// body no more, also after an error.
func (m *Room) Read(w http.ResponseWriter, r *http.Request, each, all int64) (body []byte, release func(), err error) {
	if r.ContentLength > each {
		return nil, func() {}, ErrTooLarge
	}
	// Where no deadline can be set, the server's own holds.
	late := time.AfterFunc(bodyTime, func() { _ = http.NewResponseController(w).SetReadDeadline(time.Unix(1, 0)) })
	defer late.Stop()
	body, release, err = m.read(http.MaxBytesReader(w, r.Body, each), r.ContentLength, all)
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		err = ErrTooLarge
	}
	return body, release, err
}

// read reserves memory as the body grows: who holds much has sent it.
func (m *Room) read(from io.Reader, length, all int64) (body []byte, release func(), err error) {
	var reserved int64
	release = func() { m.held.Add(-reserved) }
	grasp := int64(firstGrasp)
	if length >= 0 && length < grasp {
		grasp = length + 1 // with place for the read that finds the end
	}
	for {
		if len(body) == cap(body) {
			more := max(int64(cap(body)), grasp)
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

package httpcall

import (
	"context"
	"errors"
	"io"
	"net/http/httptrace"
	"sync"
	"time"
)

// exchange is one request on one connection. It is also the body of the request, so that it can track how much of the body was read.
type exchange struct {
	mu       sync.Mutex
	body     []byte // the unread part
	bodyRead bool   // all of it was read
	ended    bool   // nothing more can be read
	conn     *conn
	start    int64 // the number of bytes that the connection had written before
	reused   bool
	written  bool // set by end: some of the request was written
}

var errEnded = errors.New("the request has ended")

// withTrace returns ctx with a trace that reports the connection to the exchange.
func (x *exchange) withTrace(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
		x.mu.Lock()
		defer x.mu.Unlock()
		if c, ok := info.Conn.(*conn); ok && !x.ended {
			x.conn, x.start, x.reused = c, c.bytesWritten(), info.Reused
			if info.WasIdle && c.idleTooLong(info.IdleTime) {
				c.abort(x.start) // before any byte is written, so that the next connection is tried
			}
		}
	}})
}

// setMaxIdle sets the maximum idle time after which the connection can still be used.
func (x *exchange) setMaxIdle(idle time.Duration) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.conn != nil {
		x.conn.setMaxIdle(idle)
	}
}

// Read implements [io.Reader] for the request's body.
func (x *exchange) Read(p []byte) (int, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	switch {
	case x.ended:
		return 0, errEnded
	case len(x.body) == 0:
		return 0, io.EOF
	}
	n := copy(p, x.body)
	x.body = x.body[n:]
	x.bodyRead = len(x.body) == 0
	return n, nil
}

// Close implements [io.Closer].
func (x *exchange) Close() error { return nil }

// end ends a failed exchange: no more bytes of the request are written. It reports whether the connection was reused
// and accepted no bytes, which means that it had died before.
func (x *exchange) end() (wasDead bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.ended = true
	if x.conn != nil {
		x.written = x.conn.abort(x.start)
	}
	return x.reused && !x.written
}

// handedOver reports, after end, whether the peer might have the whole request.
func (x *exchange) handedOver() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.bodyRead && x.written
}

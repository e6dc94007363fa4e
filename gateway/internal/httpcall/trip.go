package httpcall

import (
	"context"
	"errors"
	"io"
	"net/http/httptrace"
	"sync"
	"time"
)

// trip is one request on its way: how much of its body was given out, and to which connection.
type trip struct {
	mu     sync.Mutex
	body   []byte // what is still to be given
	given  bool   // all of it is
	over   bool   // nothing more is given
	conn   *conn
	start  int64 // what the connection had written before
	reused bool
	left   bool // settled by end: something of the request was written
}

var errOver = errors.New("the request has ended")

// traced returns ctx with a trace that tells the trip its connection.
func (t *trip) traced(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
		t.mu.Lock()
		defer t.mu.Unlock()
		if c, ok := info.Conn.(*conn); ok && !t.over {
			t.conn, t.start, t.reused = c, c.sofar(), info.Reused
			if info.WasIdle && c.isOld(info.IdleTime) {
				c.cut(t.start) // so that nothing leaves on it, and the next connection is tried
			}
		}
	}})
}

// keep says for how long the trip's connection may be idle.
func (t *trip) keep(idle time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.conn != nil {
		t.conn.keep(idle)
	}
}

// Read gives out the body.
func (t *trip) Read(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.over:
		return 0, errOver
	case len(t.body) == 0:
		return 0, io.EOF
	}
	n := copy(p, t.body)
	t.body = t.body[n:]
	t.given = len(t.body) == 0
	return n, nil
}

// Close implements [io.Closer].
func (t *trip) Close() error { return nil }

// end settles a trip that has failed: nothing more of it leaves. It reports whether it
// met a kept connection that was dead already.
func (t *trip) end() (wasDead bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = true
	if t.conn != nil {
		t.left = t.conn.cut(t.start)
	}
	return t.reused && !t.left
}

// handedOver reports whether the peer may have the whole request; after end.
func (t *trip) handedOver() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.given && t.left
}

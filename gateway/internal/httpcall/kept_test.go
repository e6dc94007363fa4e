package httpcall

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/internal/waittest"
)

// stale is a connection that breaks unnoticed: every later Write fails.
type stale struct {
	net.Conn
	died *atomic.Bool
}

func (s *stale) Write(p []byte) (int, error) {
	if s.died.Load() {
		return 0, errors.New("connection reset by peer")
	}
	return s.Conn.Write(p)
}

func TestDo_KeptConnectionThatDiedCostsNothing(t *testing.T) {
	t.Parallel()
	p := newPeer(t, func(p *peer, _ int, c net.Conn, in *bufio.Reader) {
		for p.readRequest(in) {
			_, _ = io.WriteString(c, ok)
		}
	})
	c := client(t, Options{})
	died := new(atomic.Bool) // of the latest connection
	dial := c.transport.DialContext
	c.transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		made, err := dial(ctx, network, address)
		if err == nil {
			died = new(atomic.Bool)
			made.(*conn).Conn = &stale{made.(*conn).Conn, died}
		}
		return made, err
	}
	for n := range 20 {
		if _, e := c.Do(t.Context(), post(p.url, "a")); e != nil {
			t.Fatal(n, e)
		}
		died.Store(true)
	}
	if p.requests() != 20 {
		t.Errorf("%d requests, want 20", p.requests())
	}
}

// If a peer closes a reused connection while a request arrives, the request's outcome is unknown, and no request is sent twice.
func TestDo_NeverTwice(t *testing.T) {
	t.Parallel()
	p := newPeer(t, func(p *peer, n int, c net.Conn, in *bufio.Reader) {
		for range n%3 + 1 {
			if !p.readRequest(in) {
				return
			}
			_, _ = io.WriteString(c, ok)
		}
		p.readRequest(in) // one more, without an answer
	})
	c := client(t, Options{})
	calls, unknown := 600, 0
	for range calls {
		if _, e := c.Do(t.Context(), &Request{
			Method: http.MethodPost, URL: p.url, Body: []byte("a"),
			Header: http.Header{"Idempotency-Key": {"a"}}, // with which the transport would repeat a request, if it had GetBody
		}); e != nil {
			if e.Class != gateway.Unknown {
				t.Fatalf("got %v, want an error of class %s", e, gateway.Unknown)
			}
			unknown++
		}
	}
	if n := p.requests(); n > calls || n < calls-unknown || unknown == 0 {
		t.Errorf("%d calls, %d of them unknown, and %d requests", calls, unknown, n)
	}
}

// No more bytes of a failed request are written, even if the transport has not noticed the failure.
func TestExchange_WritesNothingAfterItsEnd(t *testing.T) {
	t.Parallel()
	near, far := net.Pipe()
	defer far.Close()
	c := &conn{Conn: near, unregister: func() bool { return true }}
	x := &exchange{body: []byte("abcdef"), conn: c}
	if n, err := x.Read(make([]byte, 4)); n != 4 || err != nil {
		t.Fatal(n, err)
	}
	if x.end() || x.handedOver() {
		t.Error("nothing was written")
	}
	if n, err := x.Read(make([]byte, 4)); n != 0 || !errors.Is(err, errEnded) || x.handedOver() {
		t.Errorf("after its end %d bytes are read, %v", n, err)
	}
	if n, err := c.Write([]byte("a")); n != 0 || !errors.Is(err, net.ErrClosed) {
		t.Errorf("after its end %d bytes are written, %v", n, err)
	}
}

// A Write that has not returned counts as written.
func TestExchange_EndsDuringAWrite(t *testing.T) {
	t.Parallel()
	near, far := net.Pipe()
	c := &conn{Conn: near, unregister: func() bool { return true }}
	x := &exchange{bodyRead: true, conn: c}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = c.Write([]byte("abcdef"))
	}()
	if _, err := far.Read(make([]byte, 1)); err != nil { // a pipe's Write waits for the rest
		t.Fatal(err)
	}
	if x.end() || !x.handedOver() {
		t.Error("something may have been written")
	}
	waittest.Receive(t, done)
	_ = far.Close()
}

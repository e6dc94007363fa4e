package httpcall

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// closingPeer closes connections that were idle for a while when it reads the next request on them. It accepts the
// request without a response.
type closingPeer struct {
	keeps  time.Duration
	header string // of each answer

	mu    sync.Mutex
	conns int
	taken int
}

func (p *closingPeer) dial(c *Client) func(context.Context, string, string) (net.Conn, error) {
	return func(context.Context, string, string) (net.Conn, error) {
		near, far := net.Pipe()
		p.mu.Lock()
		p.conns++
		p.mu.Unlock()
		go p.serve(far)
		return &conn{Conn: near, unregister: context.AfterFunc(c.closed, func() { _ = near.Close() })}, nil
	}
}

func (p *closingPeer) serve(c net.Conn) {
	defer c.Close()
	in := bufio.NewReader(c)
	for last := time.Now(); ; last = time.Now() {
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		if _, err := io.ReadAll(r.Body); err != nil {
			return
		}
		p.mu.Lock()
		p.taken++
		p.mu.Unlock()
		if time.Since(last) >= p.keeps {
			return
		}
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n"+p.header+"Content-Length: 2\r\n\r\nok")
	}
}

// An idle connection is reused only while the peer certainly keeps it open: for the time in Keep-Alive, or otherwise for 4 seconds.
func TestDo_PeerThatClosesIdleConnections(t *testing.T) {
	t.Parallel()
	const calls = 300
	for name, tt := range map[string]struct {
		keeps  time.Duration
		header string
		pause  time.Duration
		conns  int // that are enough
	}{
		"says nothing, pauses at the limit": {5 * time.Second, "", 5 * time.Second, calls},
		"says nothing, pauses below it":     {5 * time.Second, "", 3 * time.Second, 1},
		"says it":                           {2 * time.Second, "Keep-Alive: timeout=2, max=100\r\n", 2 * time.Second, calls},
		"says it, pauses below it":          {2 * time.Second, "Keep-Alive: max=100, Timeout=2\r\n", 500 * time.Millisecond, 1},
		"keeps for long":                    {time.Minute, "Keep-Alive: timeout=60\r\n", 15 * time.Second, 1},
		"keeps for longer than we do":       {time.Minute, "Keep-Alive: timeout=60\r\n", 25 * time.Second, calls},
		"a second":                          {time.Second, "Keep-Alive: timeout=1\r\n", 900 * time.Millisecond, calls},
		"nonsense":                          {5 * time.Second, "Keep-Alive: timeout=soon\r\n", 5 * time.Second, calls},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := &closingPeer{keeps: tt.keeps, header: tt.header}
				c := New(Options{})
				c.transport.DialContext = p.dial(c)
				for n := range calls {
					if _, e := c.Do(t.Context(), post("http://peer.test", fmt.Sprint(n))); e != nil {
						t.Fatalf("call %d of %d: %v", n+1, calls, e)
					}
					time.Sleep(tt.pause)
				}
				if p.taken != calls || p.conns != tt.conns {
					t.Errorf("%d requests over %d connections, want %d over %d", p.taken, p.conns, calls, tt.conns)
				}
				_ = c.Close()
				synctest.Wait()
			})
		})
	}
}

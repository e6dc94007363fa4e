package connlimit_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"example.com/griot/internal/certificate"
	"example.com/griot/internal/certificate/certtest"
	"example.com/griot/internal/connlimit"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/waittest"
)

// site is a server whose clients have the addresses that the test sets.
type site struct {
	t       *testing.T
	address string
	from    chan string // addresses of the next connections
	in, out chan struct{}
	limiter *connlimit.Limiter
}

type fakeListener struct {
	net.Listener
	from chan string
}

type fakeConn struct {
	net.Conn
	from net.Addr
}

func (c fakeConn) RemoteAddr() net.Addr { return c.from }

func (l fakeListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return fakeConn{c, net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(<-l.from), 4711))}, nil
}

// start serves /, and /long until the test ends it.
func start(t *testing.T, limits connlimit.Limits, config *tls.Config) *site {
	t.Helper()
	var lc net.ListenConfig
	l, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &site{t: t, address: l.Addr().String(), from: make(chan string, 1), in: make(chan struct{}), out: make(chan struct{})}
	proxies := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	log := slog.New(slog.DiscardHandler)
	s.limiter = connlimit.New(limits, proxies, log)
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") })
	mux.HandleFunc("/long", func(http.ResponseWriter, *http.Request) {
		s.in <- struct{}{}
		<-s.out
	})
	busy := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTooManyRequests) })
	h := httpx.BehindProxies(proxies, nil, s.limiter.Handler(httpx.ClientIP, busy, mux))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	limited := s.limiter.Listener(fakeListener{l, s.from})
	if config != nil {
		limited = tls.NewListener(limited, config)
	}
	go func() { ended <- httpx.Serve(ctx, limited, h, log) }()
	t.Cleanup(func() {
		close(s.out)
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return s
}

type client struct {
	net.Conn
	t *testing.T
	r *bufio.Reader
}

func (s *site) dial(from string) *client {
	s.t.Helper()
	s.from <- from
	c, err := new(net.Dialer).DialContext(s.t.Context(), "tcp", s.address)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(waittest.Limit))
	return &client{c, s.t, bufio.NewReader(c)}
}

// half opens a connection that sends half of a header.
func (s *site) half(from string) *client {
	s.t.Helper()
	return s.dial(from).send("GET / HTTP/1.1\r\nHost: x\r\n")
}

// busy opens a connection with a request that lasts until the end of the test.
func (s *site) busy(from string, header ...string) *client {
	s.t.Helper()
	c := s.dial(from).send("GET /long HTTP/1.1\r\nHost: x\r\n" + strings.Join(header, "") + "\r\n")
	waittest.Receive(s.t, s.in)
	return c
}

func (c *client) send(text string) *client {
	c.t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		c.t.Fatal(err)
	}
	return c
}

// get makes a request on the connection and returns its status.
func (c *client) get(header ...string) int {
	c.t.Helper()
	return c.send("GET / HTTP/1.1\r\nHost: x\r\n" + strings.Join(header, "") + "\r\n").status()
}

func (c *client) status() int {
	c.t.Helper()
	res, err := http.ReadResponse(c.r, nil)
	if err != nil {
		c.t.Errorf("no response: %v", err)
		return 0
	}
	_, _ = io.Copy(io.Discard, res.Body)
	_ = res.Body.Close()
	return res.StatusCode
}

// finish ends a half-sent header, and returns the status.
func (c *client) finish() int { c.t.Helper(); return c.send("\r\n").status() }

// isClosed waits until the server has closed the connection.
func (c *client) isClosed() {
	c.t.Helper()
	if b, err := c.r.ReadByte(); err == nil {
		c.t.Errorf("the server sends %q, want that it closes the connection", b)
	} else if timeout, ok := err.(net.Error); ok && timeout.Timeout() { //nolint:errorlint // from the connection itself
		c.t.Error("the server does not close the connection")
	}
}

const (
	ann   = "192.0.2.1"
	bob   = "192.0.2.2"
	proxy = "10.1.2.3"
)

func TestLimiter_AnAddressLosesItsOldestUnfinishedHeader(t *testing.T) {
	t.Parallel()
	s := start(t, connlimit.Limits{PerAddress: 3}, nil)
	other := s.half(bob)
	first, second, third := s.half(ann), s.half(ann), s.half(ann)
	fourth := s.half(ann)
	first.isClosed()
	for name, c := range map[string]*client{"another address": other, "the second": second, "the third": third, "the fourth": fourth} {
		if got := c.finish(); got != http.StatusOK {
			t.Errorf("%s: %d, want 200", name, got)
		}
	}
}

func TestLimiter_AnAddressOfVersion6IsItsNetwork(t *testing.T) {
	t.Parallel()
	s := start(t, connlimit.Limits{PerAddress: 2}, nil)
	first, other := s.half("2001:db8:1:2::1"), s.half("2001:db8:1:3::1")
	s.half("2001:db8:1:2::2")
	s.half("2001:db8:1:2:ffff::3")
	first.isClosed()
	if got := other.finish(); got != http.StatusOK {
		t.Errorf("another network: %d, want 200", got)
	}
}

// Requests in progress stay. If an address has no other connections, its next one is refused.
func TestLimiter_RequestsInProgressStay(t *testing.T) {
	t.Parallel()
	s := start(t, connlimit.Limits{PerAddress: 2}, nil)
	s.busy(ann)
	s.busy(ann)
	s.dial(ann).isClosed()
	if got := s.dial(bob).get(); got != http.StatusOK {
		t.Errorf("another address: %d, want 200", got)
	}
}

func TestLimiter_InAllTheOldestUnfinishedGoesThenTheOldestIdle(t *testing.T) {
	t.Parallel()
	s := start(t, connlimit.Limits{Total: 4}, nil)
	s.busy("127.0.0.1")
	idle := s.dial("192.0.2.10")
	if got := idle.get(); got != http.StatusOK {
		t.Fatalf("the first request: %d", got)
	}
	s.awaitIdle(1)
	oldest, next := s.half("192.0.2.11"), s.half(proxy)
	fifth := s.dial("192.0.2.12") // no byte of it has arrived yet
	oldest.isClosed()
	if got := next.finish(); got != http.StatusOK {
		t.Fatalf("the next one: %d", got)
	}
	s.awaitIdle(2)
	if got := fifth.get(); got != http.StatusOK {
		t.Fatalf("the fifth: %d", got)
	}
	s.awaitIdle(3)
	s.busy("192.0.2.13")
	idle.isClosed()
	if got := next.get(); got != http.StatusOK {
		t.Errorf("the younger idle one: %d, want 200", got)
	}
}

// A header that starts on a connection that was idle is as unfinished as any other.
func TestLimiter_ASecondHeaderIsUnfinishedToo(t *testing.T) {
	t.Parallel()
	s := start(t, connlimit.Limits{PerAddress: 2}, nil)
	again, idle := s.dial(ann), s.dial(ann)
	if a, b := again.get(), idle.get(); a != http.StatusOK || b != http.StatusOK {
		t.Fatalf("%d, %d", a, b)
	}
	s.awaitIdle(2)
	again.send("GET / HTTP/1.1\r\n")
	s.awaitRead()
	if got := s.dial(ann).get(); got != http.StatusOK {
		t.Errorf("a third connection: %d, want 200", got)
	}
	again.isClosed()
	if got := idle.get(); got != http.StatusOK {
		t.Errorf("the idle one: %d, want 200", got)
	}
}

// awaitIdle waits until a number of connections are between two requests, which happens shortly after the response.
func (s *site) awaitIdle(want int) {
	s.t.Helper()
	waittest.Until(s.t, func() error {
		if got := connlimit.Idle(s.limiter); got != want {
			return fmt.Errorf("%d connections are idle, want %d", got, want)
		}
		return nil
	})
}

// awaitRead gives the server the time of several round trips to read the sent bytes, because no signal shows that it
// has.
func (s *site) awaitRead() {
	s.t.Helper()
	probe := s.dial("127.0.0.1")
	for range 50 {
		if got := probe.get(); got != http.StatusOK {
			s.t.Fatalf("the probe: %d", got)
		}
	}
}

func TestLimiter_LoopbackAndProxiesAreCountedByTheirHeaders(t *testing.T) {
	t.Parallel()
	s := start(t, connlimit.Limits{PerAddress: 2}, nil)
	for _, from := range []string{"127.0.0.1", "::1", proxy} {
		var all []*client
		for range 5 {
			all = append(all, s.half(from))
		}
		for i, c := range all {
			if got := c.finish(); got != http.StatusOK {
				t.Errorf("%s, connection %d: %d, want 200", from, i, got)
			}
		}
	}
	const byAnn = "X-Forwarded-For: " + ann + "\r\n"
	s.busy(proxy, byAnn)
	s.busy(proxy, byAnn)
	if got := s.dial(proxy).get(byAnn); got != http.StatusTooManyRequests {
		t.Errorf("a third request of one address behind the proxy: %d, want 429", got)
	}
	if got := s.dial(proxy).get("X-Forwarded-For: " + bob + "\r\n"); got != http.StatusOK {
		t.Errorf("another address behind the proxy: %d, want 200", got)
	}
	if got := s.dial(bob).get(byAnn); got != http.StatusOK {
		t.Errorf("a header of somebody who is no proxy: %d, want 200", got)
	}
	s.out <- struct{}{}
	again := s.dial(proxy)
	waittest.Until(t, func() error {
		if got := again.get(byAnn); got != http.StatusOK {
			return fmt.Errorf("after one of the requests has ended: %d, want 200", got)
		}
		return nil
	})
}

// A header of 16 KiB is accepted, and one of twice that size isn't.
// Rules: L4.
func TestLimiter_HeaderSize(t *testing.T) {
	t.Parallel()
	s := start(t, connlimit.Limits{}, nil)
	for size, want := range map[int]int{httpx.MaxHeader - 100: http.StatusOK, httpx.MaxHeader + 4<<10: http.StatusRequestHeaderFieldsTooLarge} {
		c := s.dial(ann)
		go func() {
			_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\nX: "+strings.Repeat("x", size)+"\r\n\r\n")
		}()
		if got := c.status(); got != want {
			t.Errorf("a header of %d bytes: %d, want %d", size, got, want)
		}
	}
}

// All unfinished headers together are limited, and a line costs more than its bytes.
func TestLimiter_BoundsWhatUnfinishedHeadersHold(t *testing.T) {
	t.Parallel()
	for name, header := range map[string]string{"a long line": "X: " + strings.Repeat("x", 15<<10), "short lines": strings.Repeat("x:\n", 1000)} {
		s := start(t, connlimit.Limits{}, nil)
		first := s.half(ann)
		s.awaitRead()
		for range 300 {
			s.half(bob).send(header)
		}
		first.isClosed()
		if got := s.dial(ann).get(); got != http.StatusOK {
			t.Errorf("%s: then %d, want 200", name, got)
		}
	}
}

func TestLimiter_HandshakesAreUnfinishedToo(t *testing.T) {
	t.Parallel()
	files := certtest.Write(t, t.TempDir(), time.Now().AddDate(0, 1, 0))
	pair, err := certificate.Open(files.Cert, files.Key)
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, connlimit.Limits{PerAddress: 2}, pair.Config())
	for protocol, from := range map[string]string{"http/1.1": ann, "h2": bob} { // connections of one address might end after the test has closed them
		silent := s.dial(from)
		working := s.dial(from)
		over := tls.Client(working.Conn, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{protocol}})
		transport := &http.Transport{ForceAttemptHTTP2: protocol == "h2", DialTLSContext: func(context.Context, string, string) (net.Conn, error) {
			return over, over.HandshakeContext(t.Context())
		}}
		get := func() {
			t.Helper()
			req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+s.address+"/", nil)
			res, err := (&http.Client{Transport: transport}).Do(req)
			if err != nil {
				t.Fatalf("%s: %v", protocol, err)
			}
			_, _ = io.Copy(io.Discard, res.Body)
			_ = res.Body.Close()
		}
		get()
		third := s.dial(from)
		silent.isClosed()
		get()
		_ = third.Close()
		transport.CloseIdleConnections()
	}
}

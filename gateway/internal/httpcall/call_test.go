package httpcall

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"griot/gateway"
)

const secretWord = "baobab"

// peer is a server that treats each connection as it is told.
type peer struct {
	t      *testing.T
	url    string
	mu     sync.Mutex
	bodies []string // of the requests that came in whole
}

// newPeer plays talk on each connection until it returns; n counts connections from 0.
func newPeer(t *testing.T, talk func(p *peer, n int, c net.Conn, in *bufio.Reader)) *peer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &peer{t: t, url: "http://" + l.Addr().String()}
	var all sync.WaitGroup
	all.Go(func() {
		for n := 0; ; n++ {
			c, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer c.Close()
				stop := context.AfterFunc(t.Context(), func() { _ = c.Close() })
				defer stop()
				talk(p, n, c, bufio.NewReader(c))
			})
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		all.Wait()
	})
	return p
}

// hear reads one whole request; false when the connection ends first.
func (p *peer) hear(in *bufio.Reader) bool {
	r, err := http.ReadRequest(in)
	if err != nil {
		return false
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bodies = append(p.bodies, string(body))
	return true
}

func (p *peer) heard() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.bodies)
}

const ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

func client(t *testing.T, o Options) *Client {
	t.Helper()
	c := New(o)
	t.Cleanup(c.Close)
	return c
}

func post(url, body string) *Request {
	return &Request{Method: http.MethodPost, URL: url, Body: []byte(body)}
}

func wantFailure(t *testing.T, e *gateway.Error, class gateway.Class, code string) {
	t.Helper()
	if e == nil {
		t.Fatalf("no error, want %s %s", class, code)
	}
	if e.Class != class || e.Code != code {
		t.Errorf("got %v, want %s %s", e, class, code)
	}
	if strings.Contains(e.Error(), secretWord) {
		t.Errorf("the error repeats what the peer said: %v", e)
	}
}

func TestDo_ReturnsAnyAnswer(t *testing.T) {
	t.Parallel()
	p := newPeer(t, func(p *peer, _ int, c net.Conn, in *bufio.Reader) {
		for p.hear(in) {
			_, _ = io.WriteString(c, "HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nRetry-After: 7\r\nContent-Length: 2\r\n\r\nok")
		}
	})
	c := client(t, Options{})
	for range 3 {
		a, e := c.Do(t.Context(), post(p.url, secretWord))
		if e != nil || a.Status != 302 || string(a.Body) != "ok" || !a.Whole || RetryAfter(a.Header) != 7*time.Second {
			t.Fatalf("%+v, %v", a, e)
		}
	}
	if p.heard() != 3 {
		t.Errorf("%d requests, want 3: no redirect is followed", p.heard())
	}
}

func TestDo_NothingListens(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
	_, e := client(t, Options{}).Do(t.Context(), post("http://"+l.Addr().String(), "a"))
	wantFailure(t, e, gateway.Temporary, CodeUnavailable)
}

// What the peer does, with a body of 8 MiB, more than the sockets hold.
func TestDo_Lost(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		talk  func(p *peer, c net.Conn, in *bufio.Reader)
		class gateway.Class
		code  string
	}{
		"in the middle of the body": {func(_ *peer, _ net.Conn, in *bufio.Reader) {
			_, _ = io.CopyN(io.Discard, in, 100_000)
		}, gateway.Temporary, CodeUnavailable},
		"after the body": {func(p *peer, _ net.Conn, in *bufio.Reader) { p.hear(in) }, gateway.Unknown, CodeAnswerLost},
		"garbage": {func(p *peer, c net.Conn, in *bufio.Reader) {
			p.hear(in)
			_, _ = io.WriteString(c, secretWord+"\r\n\r\n")
		}, gateway.Unknown, CodeAnswerLost},
		"endless headers": {func(p *peer, c net.Conn, in *bufio.Reader) {
			p.hear(in)
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nX: "+strings.Repeat(secretWord, 100_000))
		}, gateway.Unknown, CodeAnswerLost},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPeer(t, func(p *peer, _ int, c net.Conn, in *bufio.Reader) { tt.talk(p, c, in) })
			_, e := client(t, Options{}).Do(t.Context(), post(p.url, strings.Repeat(secretWord+"  ", 1<<20)))
			wantFailure(t, e, tt.class, tt.code)
			if n := p.heard(); (n == 1) != (tt.class == gateway.Unknown) {
				t.Errorf("the peer has %d whole requests", n)
			}
		})
	}
}

// A peer that reads no further while the context ends: what was not given out never leaves.
func TestDo_EndsInTheMiddleOfTheBody(t *testing.T) {
	t.Parallel()
	reached, ended := make(chan struct{}), make(chan struct{})
	p := newPeer(t, func(p *peer, _ int, _ net.Conn, in *bufio.Reader) {
		_, _ = in.Peek(1)
		close(reached)
		<-ended
		p.hear(in)
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-reached; cancel() }()
	_, e := client(t, Options{}).Do(ctx, post(p.url, strings.Repeat("a", 32<<20)))
	close(ended)
	wantFailure(t, e, gateway.Temporary, CodeTimeout)
	if p.heard() != 0 {
		t.Error("the peer has the whole request")
	}
}

func TestDo_HangsAfterTheBody(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"context", "timeout", "close"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			reached := make(chan struct{})
			p := newPeer(t, func(p *peer, _ int, c net.Conn, in *bufio.Reader) {
				p.hear(in)
				close(reached)
				_, _ = c.Read(make([]byte, 1))
			})
			o := Options{}
			if how == "timeout" {
				o.Timeout = 50 * time.Millisecond
			}
			c := client(t, o)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go func() {
				<-reached
				switch how {
				case "context":
					cancel()
				case "close":
					c.Close()
				}
			}()
			_, e := c.Do(ctx, post(p.url, "a"))
			wantFailure(t, e, gateway.Unknown, CodeAnswerLost)
		})
	}
}

// stale is a connection that has died without a sign: nothing comes from it, and nothing goes out any more.
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
		for p.hear(in) {
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
	if p.heard() != 20 {
		t.Errorf("%d requests, want 20", p.heard())
	}
}

// A peer that hangs up on a kept connection at the worst moment makes an outcome unknown at most, and nothing twice.
func TestDo_NeverTwice(t *testing.T) {
	t.Parallel()
	p := newPeer(t, func(p *peer, n int, c net.Conn, in *bufio.Reader) {
		for range n%3 + 1 {
			if !p.hear(in) {
				return
			}
			_, _ = io.WriteString(c, ok)
		}
		p.hear(in) // one more, without an answer
	})
	c := client(t, Options{})
	calls, unknown := 600, 0
	for range calls {
		if _, e := c.Do(t.Context(), &Request{
			Method: http.MethodPost, URL: p.url, Body: []byte("a"),
			Header: http.Header{"Idempotency-Key": {"a"}}, // the transport must not take it as leave to repeat
		}); e != nil {
			if e.Class != gateway.Unknown {
				t.Fatal(e)
			}
			unknown++
		}
	}
	if n := p.heard(); n > calls || n < calls-unknown || unknown == 0 {
		t.Errorf("%d calls, %d of them unknown, and %d requests", calls, unknown, n)
	}
}

// What has failed is written no further, even if the transport hasn't noticed yet.
func TestTrip_EndsForGood(t *testing.T) {
	t.Parallel()
	near, far := net.Pipe()
	defer far.Close()
	c := &conn{Conn: near, forget: func() bool { return true }}
	tr := &trip{body: []byte("abcdef"), conn: c}
	if n, err := tr.Read(make([]byte, 4)); n != 4 || err != nil {
		t.Fatal(n, err)
	}
	if tr.end() || tr.handedOver() {
		t.Error("nothing was written")
	}
	if n, err := tr.Read(make([]byte, 4)); n != 0 || !errors.Is(err, errOver) || tr.handedOver() {
		t.Errorf("after its end it gives out %d bytes, %v", n, err)
	}
	if n, err := c.Write([]byte("a")); n != 0 || !errors.Is(err, net.ErrClosed) {
		t.Errorf("after its end %d bytes are written, %v", n, err)
	}
}

// A Write that hasn't come back counts as one that left.
func TestTrip_InTheMiddleOfAWrite(t *testing.T) {
	t.Parallel()
	near, far := net.Pipe()
	c := &conn{Conn: near, forget: func() bool { return true }}
	tr := &trip{given: true, conn: c}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = c.Write([]byte("abcdef"))
	}()
	if _, err := far.Read(make([]byte, 1)); err != nil { // a pipe's Write waits for the rest
		t.Fatal(err)
	}
	if tr.end() || !tr.handedOver() {
		t.Error("something may have left")
	}
	<-done
	_ = far.Close()
}

func TestDo_TLS(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) }))
	server.Config.ErrorLog = nil
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	trusted := x509.NewCertPool()
	trusted.AddCert(server.Certificate())
	a, e := client(t, Options{Authorities: trusted}).Do(t.Context(), post(server.URL, "a"))
	if e != nil || string(a.Body) != "a" {
		t.Fatal(a, e)
	}
	_, e = client(t, Options{}).Do(t.Context(), post(server.URL, "a"))
	wantFailure(t, e, gateway.SenderDown, CodeTLS)
	_, e = client(t, Options{Authorities: trusted}).Do(t.Context(), post(strings.Replace(server.URL, "127.0.0.1", "localhost", 1), "a"))
	wantFailure(t, e, gateway.SenderDown, CodeTLS)

	plain := newPeer(t, func(_ *peer, _ int, c net.Conn, in *bufio.Reader) {
		_, _ = in.Peek(1)
		_, _ = io.WriteString(c, "HTTP/1.1 400 "+secretWord+"\r\n\r\n")
	})
	_, e = client(t, Options{}).Do(t.Context(), post(strings.Replace(plain.url, "http:", "https:", 1), "a"))
	wantFailure(t, e, gateway.SenderDown, CodeTLS)
	dropped := newPeer(t, func(*peer, int, net.Conn, *bufio.Reader) {})
	_, e = client(t, Options{}).Do(t.Context(), post(strings.Replace(dropped.url, "http:", "https:", 1), "a"))
	wantFailure(t, e, gateway.Temporary, CodeUnavailable)
	old := newPeer(t, func(_ *peer, _ int, c net.Conn, _ *bufio.Reader) {
		_ = tls.Server(c, &tls.Config{MaxVersion: tls.VersionTLS11, Certificates: server.TLS.Certificates}).Handshake()
	})
	_, e = client(t, Options{Authorities: trusted}).Do(t.Context(), post(strings.Replace(old.url, "http:", "https:", 1), "a"))
	wantFailure(t, e, gateway.SenderDown, CodeTLS)
}

func TestDo_HangsBefore(t *testing.T) {
	before := goleak.IgnoreCurrent()
	t.Run("", func(t *testing.T) {
		reached := make(chan struct{}, 2)
		p := newPeer(t, func(_ *peer, _ int, _ net.Conn, in *bufio.Reader) {
			_, _ = in.Peek(1)
			reached <- struct{}{}
			_, _ = io.Copy(io.Discard, in)
		})
		c := client(t, Options{})
		url := strings.Replace(p.url, "http:", "https:", 1)
		ctx, cancel := context.WithCancel(t.Context())
		go func() { <-reached; cancel() }()
		_, e := c.Do(ctx, post(url, "a"))
		wantFailure(t, e, gateway.Temporary, CodeTimeout)
		_, e = c.Do(ctx, post(url, "a"))
		wantFailure(t, e, gateway.Temporary, CodeTimeout)
		_, e = client(t, Options{Connect: 20 * time.Millisecond}).Do(t.Context(), post(url, "a"))
		wantFailure(t, e, gateway.Temporary, CodeUnavailable)
		<-reached
		go func() { <-reached; c.Close() }()
		_, e = c.Do(t.Context(), post(url, "b"))
		wantFailure(t, e, gateway.SenderDown, CodeClosed)
		_, e = c.Do(t.Context(), post(url, "c"))
		wantFailure(t, e, gateway.SenderDown, CodeClosed)
	})
	if err := goleak.Find(before); err != nil {
		t.Error(err)
	}
}

func TestDo_BoundsTheAnswer(t *testing.T) {
	t.Parallel()
	p := newPeer(t, func(p *peer, n int, c net.Conn, in *bufio.Reader) {
		p.hear(in)
		_, _ = io.WriteString(c, "HTTP/1.1 201 Created\r\nContent-Length: 100\r\n\r\n"+strings.Repeat("b", 20))
	})
	a, e := client(t, Options{MaxAnswer: 10}).Do(t.Context(), post(p.url, "a"))
	if e != nil || a.Status != 201 || a.Whole || len(a.Body) != 10 {
		t.Errorf("%+v, %v", a, e)
	}
	a, e = client(t, Options{}).Do(t.Context(), post(p.url, "a"))
	if e != nil || a.Status != 201 || a.Whole || !bytes.Equal(a.Body, bytes.Repeat([]byte("b"), 20)) {
		t.Errorf("%+v, %v", a, e)
	}
}

func TestDo_RequestThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	c := client(t, Options{})
	_, e := c.Do(t.Context(), post("http://127.0.0.1\x00"+secretWord, "a"))
	wantFailure(t, e, gateway.Permanent, CodeRequest)
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	const date = "Wed, 04 Nov 2026 10:00:00 GMT"
	for value, want := range map[string]time.Duration{
		"": 0, "0": 0, "7": 7 * time.Second, "-1": 0, "1.5": 0, "x": 0, "999999999": 24 * time.Hour, "99999999999999999999": 0,
		"Wed, 04 Nov 2026 10:01:00 GMT": time.Minute, "Wed, 04 Nov 2026 09:00:00 GMT": 0,
	} {
		if got := RetryAfter(http.Header{"Retry-After": {value}, "Date": {date}}); got != want {
			t.Errorf("%q: %v, want %v", value, got, want)
		}
	}
	if got := RetryAfter(http.Header{"Retry-After": {date}}); got != 0 {
		t.Errorf("a date without a Date: %v", got)
	}
}

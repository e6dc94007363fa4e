package httpcall

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/clock"
)

const secretWord = "baobab"

// peer is a server. A function of the test serves its connections.
type peer struct {
	t      *testing.T
	url    string
	mu     sync.Mutex
	bodies []string // of the requests that came in whole
}

// newPeer calls serve for each connection, which ends when it returns; n counts connections from 0.
func newPeer(t *testing.T, serve func(p *peer, n int, c net.Conn, in *bufio.Reader)) *peer {
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
				serve(p, n, c, bufio.NewReader(c))
			})
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		all.Wait()
	})
	return p
}

// readRequest reads one whole request; false when the connection ends first.
func (p *peer) readRequest(in *bufio.Reader) bool {
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

func (p *peer) requests() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.bodies)
}

const ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

func client(t *testing.T, o Options) *Client {
	t.Helper()
	c := New(o)
	t.Cleanup(func() { _ = c.Close() })
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
		for p.readRequest(in) {
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
	if p.requests() != 3 {
		t.Errorf("%d requests, want 3: no redirect is followed", p.requests())
	}
}

// The Date of a response shows the difference between the clocks. A response without one changes nothing.
func TestDo_ReadsThePeersClock(t *testing.T) {
	t.Parallel()
	const ahead = 10 * time.Minute
	p := newPeer(t, func(p *peer, n int, c net.Conn, in *bufio.Reader) {
		for i := 0; p.readRequest(in); i++ {
			date := ""
			if i == 1 {
				date = "Date: " + clock.System().Add(ahead).Format(http.TimeFormat) + "\r\n"
			}
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n"+date+"Content-Length: 2\r\n\r\nok")
		}
	})
	c := client(t, Options{Connections: 1})
	for _, want := range []bool{false, true, true} {
		if _, e := c.Do(t.Context(), post(p.url, secretWord)); e != nil {
			t.Fatal(e)
		}
		got, known := c.ClockAhead()
		if known != want || known && (got-ahead).Abs() > 2*time.Second {
			t.Errorf("ahead %v, known %v; want about %v, %v", got, known, ahead, want)
		}
	}
}

func TestDo_NothingListens(t *testing.T) {
	t.Parallel()
	_, e := client(t, Options{}).Do(t.Context(), post("http://127.0.0.1:1", "a"))
	wantFailure(t, e, gateway.Temporary, CodeUnavailable)
}

// Each peer loses a request whose body has 8 MiB, more than the sockets hold.
func TestDo_Lost(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		serve func(p *peer, c net.Conn, in *bufio.Reader)
		class gateway.Class
		code  string
	}{
		"in the middle of the body": {func(_ *peer, _ net.Conn, in *bufio.Reader) {
			_, _ = io.CopyN(io.Discard, in, 100_000)
		}, gateway.Temporary, CodeUnavailable},
		"after the body": {func(p *peer, _ net.Conn, in *bufio.Reader) { p.readRequest(in) }, gateway.Unknown, CodeAnswerLost},
		"garbage": {func(p *peer, c net.Conn, in *bufio.Reader) {
			p.readRequest(in)
			_, _ = io.WriteString(c, secretWord+"\r\n\r\n")
		}, gateway.Unknown, CodeAnswerLost},
		"endless headers": {func(p *peer, c net.Conn, in *bufio.Reader) {
			p.readRequest(in)
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nX: "+strings.Repeat(secretWord, 100_000))
		}, gateway.Unknown, CodeAnswerLost},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPeer(t, func(p *peer, _ int, c net.Conn, in *bufio.Reader) { tt.serve(p, c, in) })
			_, e := client(t, Options{}).Do(t.Context(), post(p.url, strings.Repeat(secretWord+"  ", 1<<20)))
			wantFailure(t, e, tt.class, tt.code)
			if n := p.requests(); (n == 1) != (tt.class == gateway.Unknown) {
				t.Errorf("the peer has %d whole requests", n)
			}
		})
	}
}

// The peer stops reading while the context ends. The remaining bytes are never written.
func TestDo_EndsInTheMiddleOfTheBody(t *testing.T) {
	t.Parallel()
	reached, ended := make(chan struct{}), make(chan struct{})
	p := newPeer(t, func(p *peer, _ int, _ net.Conn, in *bufio.Reader) {
		_, _ = in.Peek(1)
		close(reached)
		<-ended
		p.readRequest(in)
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-reached; cancel() }()
	_, e := client(t, Options{}).Do(ctx, post(p.url, strings.Repeat("a", 32<<20)))
	close(ended)
	wantFailure(t, e, gateway.Temporary, CodeTimeout)
	if p.requests() != 0 {
		t.Error("the peer has the whole request")
	}
}

func TestDo_HangsAfterTheBody(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"context", "close"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			reached := make(chan struct{})
			p := newPeer(t, func(p *peer, _ int, c net.Conn, in *bufio.Reader) {
				p.readRequest(in)
				close(reached)
				_, _ = c.Read(make([]byte, 1))
			})
			c := client(t, Options{})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go func() {
				<-reached
				switch how {
				case "context":
					cancel()
				case "close":
					_ = c.Close()
				}
			}()
			_, e := c.Do(ctx, post(p.url, "a"))
			wantFailure(t, e, gateway.Unknown, CodeAnswerLost)
		})
	}
	t.Run("timeout", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			began, c := time.Now(), client(t, Options{Timeout: 3 * time.Second})
			c.transport.DialContext = func(context.Context, string, string) (net.Conn, error) {
				near, far := net.Pipe()
				go func() { _, _ = io.Copy(io.Discard, far) }() // without a response
				return &conn{Conn: near, unregister: context.AfterFunc(c.closed, func() { _ = near.Close() })}, nil
			}
			_, e := c.Do(t.Context(), post("http://peer.test", "a"))
			wantFailure(t, e, gateway.Unknown, CodeAnswerLost)
			if took := time.Since(began); took != 3*time.Second {
				t.Errorf("it took %v, want 3 s", took)
			}
		})
	})
}

func TestDo_BoundsTheAnswer(t *testing.T) {
	t.Parallel()
	p := newPeer(t, func(p *peer, n int, c net.Conn, in *bufio.Reader) {
		p.readRequest(in)
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

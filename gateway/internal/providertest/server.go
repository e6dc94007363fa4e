package providertest

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"example.com/griot/gateway/gatewaytest"
)

// Modes of a provider. A test's handler can have others.
const (
	Accept = ""
	Drop   = "drop" // a send is accepted, and the connection is closed before the response
	Hang   = "hang" // a send is accepted, and the response is delayed

	Garbage = "garbage" // a send is accepted; the response is not HTTP
)

// Answer is a provider's response.
type Answer struct {
	Status int
	Header map[string]string
	Body   string
}

// Handler responds to one request. The modes Drop, Hang, and Garbage are passed as Accept.
type Handler func(r *http.Request, body []byte, mode string) Answer

// Server is a provider.
type Server struct {
	URL string

	t       testing.TB
	handle  Handler
	isSend  func(r *http.Request) bool // reports whether a request submits a message
	server  *http.Server
	address string
	config  net.ListenConfig // for listeners at the address
	work    sync.WaitGroup
	ctx     context.Context

	mu       sync.Mutex
	mode     string
	listener net.Listener
	open     map[net.Conn]bool
	reached  chan struct{} // receives a value when a send hangs
	release  chan struct{}
}

// New starts a provider that accepts messages. It stops with t.
func New(t testing.TB, isSend func(r *http.Request) bool, handle Handler) *Server {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	f := &Server{t: t, handle: handle, isSend: isSend, ctx: ctx, open: map[net.Conn]bool{}}
	f.server = &http.Server{Handler: f, ConnState: f.trackConn, ReadHeaderTimeout: time.Minute}
	f.server.SetKeepAlivesEnabled(false) // if a reused connection is lost, it is unknown whether the request arrived
	f.address, f.config = holdPort(t)
	f.listen()
	f.URL = "http://" + f.address
	t.Cleanup(func() {
		cancel()
		f.releaseHang()
		_ = f.server.Close()
		f.work.Wait()
	})
	return f
}

func (f *Server) listen() {
	l, err := f.config.Listen(f.ctx, "tcp", f.address)
	if err != nil {
		f.t.Error(err)
		return
	}
	f.mu.Lock()
	f.listener = l
	f.mu.Unlock()
	f.work.Go(func() {
		if err := f.server.Serve(l); err != nil && !errors.Is(err, net.ErrClosed) && !errors.Is(err, http.ErrServerClosed) {
			f.t.Error(err)
		}
	})
}

func (f *Server) trackConn(c net.Conn, state http.ConnState) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if state == http.StateClosed || state == http.StateHijacked {
		delete(f.open, c)
		return
	}
	f.open[c] = true
}

// Script returns a function that sets the mode, and listens again after StopListening.
func (f *Server) Script(mode string) func() {
	return func() {
		f.mu.Lock()
		f.mode = mode
		closed := f.listener == nil
		f.mu.Unlock()
		if closed {
			f.listen()
		}
	}
}

// StopListening closes the listener and all connections.
func (f *Server) StopListening() {
	f.mu.Lock()
	defer f.mu.Unlock()
	_ = f.listener.Close()
	f.listener = nil
	for c := range f.open {
		_ = c.Close()
	}
}

// HangAfter implements the script of [gatewaytest.Provider].
func (f *Server) HangAfter() gatewaytest.Hang {
	f.mu.Lock()
	f.mode, f.reached, f.release = Hang, make(chan struct{}, 100), make(chan struct{})
	reached := f.reached
	f.mu.Unlock()
	return gatewaytest.Hang{Reached: reached, Release: f.releaseHang}
}

// releaseHang responds to the sends that hang.
func (f *Server) releaseHang() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.release != nil {
		close(f.release)
		f.release = nil
	}
}

// ServeHTTP implements [http.Handler].
func (f *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the body is incomplete
	}
	f.mu.Lock()
	mode, reached, release := f.mode, f.reached, f.release
	f.mu.Unlock()
	isSend := f.isSend(r)
	if mode == Drop || mode == Hang || mode == Garbage {
		answer := f.handle(r, body, Accept)
		switch {
		case !isSend:
			write(w, answer)
		case mode == Drop:
			panic(http.ErrAbortHandler)
		case mode == Garbage:
			f.writeGarbage(w)
		default:
			reached <- struct{}{}
			if release != nil {
				<-release
			}
			write(w, answer)
		}
		return
	}
	write(w, f.handle(r, body, mode))
}

// writeGarbage responds with bytes that are not HTTP.
func (f *Server) writeGarbage(w http.ResponseWriter) {
	c, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		f.t.Error(err)
		return
	}
	_, _ = io.WriteString(c, "baobab\r\n\x00\xff\r\n\r\n")
	_ = c.Close()
}

func write(w http.ResponseWriter, a Answer) {
	for name, value := range a.Header {
		w.Header().Set(name, value)
	}
	w.WriteHeader(a.Status)
	_, _ = io.WriteString(w, a.Body)
}

// RetryUntil calls do in the background until it reports true or the provider has ended.
func (f *Server) RetryUntil(do func() bool) {
	f.work.Go(func() {
		for !do() {
			select {
			case <-f.ctx.Done():
				return
			case <-time.After(2 * time.Millisecond):
			}
		}
	})
}

// ListenWithoutReading stops the provider, accepts one connection at its address, and reads only its first 64 KiB.
// The channel is closed after that.
func (f *Server) ListenWithoutReading() <-chan struct{} {
	f.t.Helper()
	f.StopListening()
	l, err := f.config.Listen(f.t.Context(), "tcp", f.address)
	if err != nil {
		f.t.Fatal(err)
	}
	full := make(chan struct{})
	var work sync.WaitGroup
	var conn net.Conn
	work.Go(func() {
		defer close(full)
		if conn, err = l.Accept(); err == nil {
			_, _ = io.ReadFull(conn, make([]byte, 64<<10))
		}
	})
	f.t.Cleanup(func() {
		_ = l.Close()
		work.Wait()
		if conn != nil {
			_ = conn.Close()
		}
	})
	return full
}

package fartest

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"griot/gateway/gatewaytest"
)

// Modes of a far end; what the others mean is the test's own affair.
const (
	Accept = ""
	Drop   = "drop" // a send is taken, and the connection is lost before the answer
	Hang   = "hang" // a send is taken, and the answer kept back

	Garbage = "garbage" // a send is taken; what comes back isn't HTTP
)

// Answer is what a provider answers.
type Answer struct {
	Status int
	Header map[string]string
	Body   string
}

// Provider decides about one request. Modes Drop, Hang and Garbage reach it as Accept.
type Provider func(r *http.Request, body []byte, mode string) Answer

// Far is a far end.
type Far struct {
	URL string

	t       testing.TB
	provide Provider
	sends   func(r *http.Request) bool // whether a request hands over a message
	server  *http.Server
	address string
	work    sync.WaitGroup
	life    context.Context

	mu       sync.Mutex
	mode     string
	listener net.Listener
	open     map[net.Conn]bool
	reached  chan struct{} // gets a word when a send is kept waiting
	release  chan struct{}
}

// New starts a far end that accepts; it ends with t.
func New(t testing.TB, sends func(r *http.Request) bool, provide Provider) *Far {
	t.Helper()
	life, end := context.WithCancel(context.Background())
	f := &Far{t: t, provide: provide, sends: sends, life: life, open: map[net.Conn]bool{}}
	f.server = &http.Server{Handler: f, ConnState: f.note, ReadHeaderTimeout: time.Minute}
	f.server.SetKeepAlivesEnabled(false) // on a kept connection that is lost, nobody could tell what had arrived
	f.address = "127.0.0.1:0"
	f.listen()
	f.URL = "http://" + f.address
	t.Cleanup(func() {
		end()
		f.let()
		_ = f.server.Close()
		f.work.Wait()
	})
	return f
}

func (f *Far) listen() {
	var c net.ListenConfig
	l, err := c.Listen(f.life, "tcp", f.address)
	if err != nil {
		f.t.Error(err)
		return
	}
	f.address = l.Addr().String()
	f.mu.Lock()
	f.listener = l
	f.mu.Unlock()
	f.work.Go(func() {
		if err := f.server.Serve(l); err != nil && !errors.Is(err, net.ErrClosed) && !errors.Is(err, http.ErrServerClosed) {
			f.t.Error(err)
		}
	})
}

func (f *Far) note(c net.Conn, state http.ConnState) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if state == http.StateClosed || state == http.StateHijacked {
		delete(f.open, c)
		return
	}
	f.open[c] = true
}

// Script returns a function that sets the mode, for gatewaytest's scripts. A far end that was gone comes back.
func (f *Far) Script(mode string) func() {
	return func() {
		f.mu.Lock()
		f.mode = mode
		gone := f.listener == nil
		f.mu.Unlock()
		if gone {
			f.listen()
		}
	}
}

// Gone makes the far end disappear: nothing listens, and what was connected isn't any more.
func (f *Far) Gone() {
	f.mu.Lock()
	defer f.mu.Unlock()
	_ = f.listener.Close()
	f.listener = nil
	for c := range f.open {
		_ = c.Close()
	}
}

// HangAfter is the script of that name.
func (f *Far) HangAfter() gatewaytest.Hang {
	f.mu.Lock()
	f.mode, f.reached, f.release = Hang, make(chan struct{}, 100), make(chan struct{})
	reached := f.reached
	f.mu.Unlock()
	return gatewaytest.Hang{Reached: reached, Release: f.let}
}

// let lets go of what is kept waiting.
func (f *Far) let() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.release != nil {
		close(f.release)
		f.release = nil
	}
}

// ServeHTTP implements [http.Handler].
func (f *Far) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the message has not come in whole
	}
	f.mu.Lock()
	mode, reached, release := f.mode, f.reached, f.release
	f.mu.Unlock()
	ours := f.sends(r)
	if mode == Drop || mode == Hang || mode == Garbage {
		answer := f.provide(r, body, Accept)
		switch {
		case !ours:
			write(w, answer)
		case mode == Drop:
			panic(http.ErrAbortHandler)
		case mode == Garbage:
			f.babble(w)
		default:
			reached <- struct{}{}
			if release != nil {
				<-release
			}
			write(w, answer)
		}
		return
	}
	write(w, f.provide(r, body, mode))
}

// babble answers with what isn't HTTP.
func (f *Far) babble(w http.ResponseWriter) {
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

// Again calls do until it reports true or the far end has ended: receipts and
// inbound messages are brought until they are taken.
func (f *Far) Again(do func() bool) {
	f.work.Go(func() {
		for !do() {
			select {
			case <-f.life.Done():
				return
			case <-time.After(2 * time.Millisecond):
			}
		}
	})
}

// Deliver makes a provider's call to a driver's handler and returns the status that it answers.
func Deliver(handler http.Handler, r *http.Request) int {
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w.Code
}

// Stall listens on an address, accepts one connection and reads none of it. The channel is closed once the other side
// has written as much as the sockets hold.
func Stall(t testing.TB, address string) <-chan struct{} {
	t.Helper()
	var c net.ListenConfig
	l, err := c.Listen(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
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
	t.Cleanup(func() {
		_ = l.Close()
		work.Wait()
		if conn != nil {
			_ = conn.Close()
		}
	})
	return full
}

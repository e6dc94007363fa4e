package httpx_test

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/griot/internal/httpx"
)

// pipeListener accepts the connections of a channel.
type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	close(l.closed)
	return nil
}

func (l *pipeListener) Addr() net.Addr { return &net.TCPAddr{} }

// servePipe serves a handler, in a bubble, to a client that makes a request and reads nothing of the response. Nothing
// is buffered between the two. It returns after all are waiting.
func servePipe(t *testing.T, h http.HandlerFunc) (stop func(), ended <-chan error) {
	t.Helper()
	l := &pipeListener{make(chan net.Conn), make(chan struct{})}
	ctx, cancel := context.WithCancel(t.Context())
	done, over := make(chan error, 1), make(chan struct{})
	go func() {
		defer close(over)
		done <- httpx.Serve(ctx, l, h, slog.New(slog.DiscardHandler))
	}()
	client, server := net.Pipe()
	t.Cleanup(func() {
		cancel()
		_ = client.Close()
		<-over // the end of a server can take the time of a few polls
	})
	l.conns <- server
	if _, err := fmt.Fprint(client, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	return cancel, done
}

// serveUnread serves a stream of large events to a client that reads none of them.
func serveUnread(t *testing.T) (stop func(), ended <-chan error, served <-chan error) {
	t.Helper()
	over := make(chan error, 1)
	stop, served = servePipe(t, func(w http.ResponseWriter, r *http.Request) {
		s, err := httpx.NewStream(w, r, time.Second)
		if err != nil {
			over <- err
			return
		}
		defer s.Close()
		for err == nil {
			err = s.Event("event", strings.Repeat("x", 1<<20))
		}
		over <- err
	})
	return stop, over, served
}

func TestStream_AClientThatDoesNotReadIsCutOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, ended, _ := serveUnread(t)
		began := time.Now()
		if err := <-ended; err == nil {
			t.Error("the stream ended as if its client had read it")
		}
		if took := time.Since(began); took != 10*time.Second {
			t.Errorf("the stream has waited %v for its client, want 10 s", took)
		}
	})
}

func TestServe_AClientThatDoesNotReadDoesNotHoldTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		stop, ended, served := serveUnread(t)
		began := time.Now()
		stop()
		if err := <-ended; err == nil {
			t.Error("the stream ended as if its client had read it")
		}
		if took := time.Since(began); took != time.Second {
			t.Errorf("the stream has waited %v for its client, want 1 s", took)
		}
		if err := <-served; err != nil {
			t.Errorf("the server ended with %v", err)
		}
		if took := time.Since(began); took > httpx.DrainTime/2 {
			t.Errorf("it took %v, want at most %v", took, httpx.DrainTime/2)
		}
	})
}

func TestServe_WhatIsLeftAtTheEndOfADrainIsClosedWithoutAnError(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		out := make(chan struct{})
		t.Cleanup(func() { close(out) })
		stop, served := servePipe(t, func(http.ResponseWriter, *http.Request) { <-out })
		began := time.Now()
		stop()
		if err := <-served; err != nil {
			t.Errorf("the server ended with %v", err)
		}
		if took := time.Since(began); took != httpx.DrainTime {
			t.Errorf("it took %v, want %v", took, httpx.DrainTime)
		}
	})
}

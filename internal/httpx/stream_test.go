package httpx_test

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/griot/internal/chantest"
	"example.com/griot/internal/httpx"
)

// serveUnread serves a stream of large events to a client that reads none of them, until the stream is held up.
func serveUnread(t *testing.T) (stop func(), ended <-chan error, served <-chan error) {
	t.Helper()
	var c net.ListenConfig
	l, err := c.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	over, done, wrote := make(chan error, 1), make(chan error, 1), make(chan struct{}, 1000)
	go func() {
		done <- httpx.Serve(ctx, l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			s, err := httpx.NewStream(w, r, time.Second)
			if err != nil {
				over <- err
				return
			}
			defer s.Close()
			for err == nil {
				wrote <- struct{}{}
				err = s.Event("event", strings.Repeat("x", 1<<20))
			}
			over <- err
		}), slog.New(slog.DiscardHandler))
	}()
	client, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	if _, err := fmt.Fprint(client, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	for held := false; !held; {
		select {
		case <-wrote:
		case <-time.After(time.Second): // no event has left for a while: what is between the two is full
			held = true
		}
	}
	return cancel, over, done
}

func TestStream_AClientThatDoesNotReadIsCutOff(t *testing.T) {
	t.Parallel()
	_, ended, _ := serveUnread(t)
	select {
	case err := <-ended:
		if err == nil {
			t.Error("the stream ended as if its client had read it")
		}
	case <-time.After(30 * time.Second):
		t.Error("the stream still waits for its client")
	}
}

func TestServe_AClientThatDoesNotReadDoesNotHoldTheEnd(t *testing.T) {
	t.Parallel()
	stop, ended, served := serveUnread(t)
	began := time.Now()
	stop()
	select {
	case err := <-served:
		if err != nil {
			t.Errorf("the server ended with %v", err)
		}
		if took := time.Since(began); took > httpx.DrainTime/2 {
			t.Errorf("it took %v, want at most %v", took, httpx.DrainTime/2)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("the server doesn't end")
	}
	if err := chantest.Receive(t, ended); err == nil {
		t.Error("the stream ended as if its client had read it")
	}
}

func TestServe_WhatIsLeftAtTheEndOfADrainIsClosedWithoutAnError(t *testing.T) {
	t.Parallel()
	var c net.ListenConfig
	l, err := c.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	in, out, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	t.Cleanup(func() { close(out) })
	go func() {
		done <- httpx.Serve(ctx, l, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			close(in)
			<-out
		}), slog.New(slog.DiscardHandler))
	}()
	go func() {
		req, _ := http.NewRequestWithContext(context.Background(), http.MethodGet, "http://"+l.Addr().String(), nil)
		if res, err := http.DefaultClient.Do(req); err == nil {
			_ = res.Body.Close()
		}
	}()
	chantest.Receive(t, in)
	cancel()
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("the server ended with %v", err)
		}
	case <-time.After(2 * httpx.DrainTime):
		t.Fatal("the server doesn't end")
	}
}

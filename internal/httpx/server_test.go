package httpx_test

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"time"

	"example.com/griot/internal/chantest"
	"example.com/griot/internal/httpx"
)

func TestServe_FinishesWhatIsInFlight(t *testing.T) {
	t.Parallel()
	in, out := make(chan struct{}), make(chan struct{})
	var c net.ListenConfig
	l, err := c.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- httpx.Serve(ctx, l, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			close(in)
			<-out
			_, _ = io.WriteString(w, "whole")
		}), slog.New(slog.DiscardHandler))
	}()
	got := make(chan string, 1)
	go func() {
		req, _ := http.NewRequestWithContext(context.Background(), http.MethodGet, "http://"+l.Addr().String(), nil)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			got <- err.Error()
			return
		}
		defer func() { _ = res.Body.Close() }()
		b, _ := io.ReadAll(res.Body)
		got <- string(b)
	}()
	chantest.Receive(t, in)
	cancel()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(time.Millisecond) { // the server accepts nothing any more
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			break
		}
		_ = c.Close()
		if time.Now().After(deadline) {
			t.Fatal("the server still accepts connections")
		}
	}
	close(out)
	if s := chantest.Receive(t, got); s != "whole" {
		t.Errorf("the request in flight got %q, want %q", s, "whole")
	}
	if err := chantest.Receive(t, done); err != nil {
		t.Errorf("the server ended with %v", err)
	}
}

package httpx_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"

	"example.com/griot/internal/httpx"
	"example.com/griot/internal/waittest"
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
	waittest.Receive(t, in)
	cancel()
	waittest.Until(t, func() error {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			return nil //nolint:nilerr // the server accepts nothing any more
		}
		_ = c.Close()
		return errors.New("the server still accepts connections")
	})
	close(out)
	if s := waittest.Receive(t, got); s != "whole" {
		t.Errorf("the request in flight got %q, want %q", s, "whole")
	}
	if err := waittest.Receive(t, done); err != nil {
		t.Errorf("the server ended with %v", err)
	}
}

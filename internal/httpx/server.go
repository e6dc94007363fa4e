package httpx

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"example.com/griot/internal/connlimit"
)

// DrainTime is the maximum time that a stopping server waits for its requests.
const DrainTime = 20 * time.Second

// MaxHeader is the size that a request line and header together can have, in bytes. net/http allows 4 KiB more, and
// responds to larger ones with 431.
const MaxHeader = 16 << 10

// Serve handles requests on l until ctx ends. Then it stops accepting connections, signals long responses ([Draining]),
// and waits for the requests in flight. Responses stay out of caches unless their handler sets another value. This
// includes responses of handlers without an [API].
func Serve(ctx context.Context, l net.Listener, h http.Handler, log *slog.Logger) error {
	draining := newDrain()
	s := &http.Server{
		Handler:           noStore(h),
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      60 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    MaxHeader,
		ConnState:         connlimit.SetState,
		ConnContext:       connlimit.Context,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
		BaseContext: func(net.Listener) context.Context {
			return context.WithValue(context.Background(), drainKey{}, draining)
		},
	}
	s.RegisterOnShutdown(draining.begin)
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), DrainTime)
	defer cancel()
	err := s.Shutdown(drain)
	if errors.Is(err, context.DeadlineExceeded) { // only slow clients are the cause
		log.InfoContext(ctx, "connections were still in use at the end of the drain, and are closed")
		err = s.Close()
	}
	if serve := <-done; !errors.Is(serve, http.ErrServerClosed) {
		err = errors.Join(err, serve)
	}
	return err
}

package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"time"

	"example.com/griot/internal/clock"
	"example.com/griot/internal/connlimit"
	"example.com/griot/internal/db"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/metrics"
	"example.com/griot/internal/probe"
	"example.com/griot/internal/sdnotify"
)

// probes report the state of the process to its supervisors.
type probes struct {
	probe   *probe.Probe
	metrics *metrics.Metrics
}

func newProbes() *probes {
	return newNotifyingProbes(func(bool) {})
}

// newNotifyingProbes returns probes that also call notify when the process starts to serve, and when it starts to stop.
func newNotifyingProbes(notify func(serving bool)) *probes {
	m := metrics.New(metrics.Options{Version: version, Now: clock.System})
	return &probes{probe.New(func(serving bool) {
		m.Process.Serving(serving)
		notify(serving)
	}), m}
}

// notifySystemd returns a function that reports to the service manager of a unit with Type=notify. Other units
// set no socket.
func notifySystemd(log *slog.Logger) func(serving bool) {
	socket := os.Getenv(sdnotify.Variable)
	return func(serving bool) {
		state := sdnotify.Stopping
		if serving {
			state = sdnotify.Ready
		}
		if err := sdnotify.Send(socket, state); err != nil {
			log.Warn("the service manager could not be notified", "state", state, "err", err)
		}
	}
}

func (p *probes) handler() http.Handler { return p.probe.Handler(p.metrics.Handler()) }

// listen serves the probes until stop is called, including while the database is migrated and while the process drains.
// Without an address it does nothing.
func (p *probes) listen(ctx context.Context, address string, connections *connlimit.Limiter, log *slog.Logger) (stop func() error, err error) {
	if address == "" {
		return func() error { return nil }, nil
	}
	l, err := listen(ctx, address)
	if err != nil {
		return nil, fmt.Errorf("probe.listen: %w", err)
	}
	serving, end := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan error, 1)
	go func() { ended <- httpx.Serve(serving, connections.Listener(l), p.handler(), log) }()
	return func() error { end(); return <-ended }, nil
}

// checks returns the checks of the dependencies of requests.
func (a *app) checks() []probe.Check {
	return []probe.Check{a.databaseMissing, a.migrationsMissing}
}

// pauseNote returns a note if sending is paused. The process is still ready, because it serves requests.
func (a *app) pauseNote(ctx context.Context) string {
	p, err := a.messaging.SendingPause(ctx)
	if err != nil || p == nil {
		return ""
	}
	return "sending is paused since " + p.At.UTC().Format(time.RFC3339) + " (griot admin resume)"
}

func (a *app) databaseMissing(ctx context.Context) string {
	err := a.db.Ping(ctx)
	switch {
	case err == nil:
		return ""
	case errors.Is(err, db.ErrWrites):
		return "database: the last write could not be stored"
	}
	return "database: it doesn't respond"
}

// migrationsMissing checks whether the schema is older than the program, as after a restore of an old backup. A newer
// schema is that of a node that was upgraded before this one.
func (a *app) migrationsMissing(ctx context.Context) string {
	has, needs, err := a.db.Schema(ctx)
	if err != nil || has >= needs { // another check reports an error of the database
		return ""
	}
	return fmt.Sprintf("migrations: the database's schema has version %d, but this program needs version %d", has, needs)
}

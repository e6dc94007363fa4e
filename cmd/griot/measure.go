package main

import (
	"context"
	"slices"
	"time"

	"example.com/griot/auth/logout"
	authwebhooks "example.com/griot/auth/webhooks"
	"example.com/griot/gateway"
	"example.com/griot/internal/backup"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/metrics"
	"example.com/griot/internal/webhook"
	"example.com/griot/messaging/connections"
	"example.com/griot/messaging/outbox"
	"example.com/griot/messaging/webhooks"
	"example.com/griot/web/book"
)

// measure sets the sources of the metrics that are not counted.
func (a *app) measure() {
	d := a.db
	a.probes.metrics.Measure(metrics.Sources{
		Database:     func(ctx context.Context) (metrics.DatabaseState, error) { return databaseState(ctx, d), nil },
		Queues:       func(ctx context.Context) ([]metrics.Queue, error) { return queues(ctx, d) },
		Senders:      func(ctx context.Context) ([]metrics.Senders, error) { return senderStates(ctx, d) },
		Webhooks:     func(ctx context.Context) ([]metrics.Backlog, error) { return backlogs(ctx, d) },
		Gateways:     a.gatewayStates,
		Certificates: a.certificates,
		GatewayClock: a.gateways.ClockAhead,
		LastBackup:   func() (time.Time, bool) { return lastBackup(d) },
		DocsURL:      a.c.API.URL + book.Home,
		Pools:        func() []metrics.Pool { return pools(d) },
		Writes:       func() int64 { writes, _ := d.Stats(); return writes },
	})
}

// lastBackup returns the time of the last backup of a SQLite database.
func lastBackup(d *db.DB) (at time.Time, known bool) {
	if d.File() == "" {
		return time.Time{}, false
	}
	return backup.Last(d.File())
}

func databaseState(ctx context.Context, d *db.DB) metrics.DatabaseState {
	out := metrics.DatabaseState{Up: d.Ping(ctx) == nil}
	if paused, err := outbox.FindSendingPause(d.Read(ctx)); err == nil {
		out.Paused = paused != nil
	}
	if waiters, known, err := d.LockWaiters(ctx); err == nil && known {
		out.LockWaiters = &waiters
	}
	s, err := d.State(ctx, clock.System)
	if err != nil { // Up reports it
		return out
	}
	out.Size = &s.Size
	if s.Engine == db.Postgres {
		out.ClockOffset = &s.Ahead
		return out
	}
	out.LogSize = &s.Log
	if s.HasFree {
		out.Free = &s.Free
	}
	return out
}

// queues returns the queues of all channels, including empty ones.
func queues(ctx context.Context, d *db.DB) (out []metrics.Queue, err error) {
	waiting, err := outbox.Queues(ctx, d, clock.System())
	for _, c := range []gateway.Channel{gateway.WhatsApp, gateway.SMS, gateway.Email} {
		q := &outbox.Queue{}
		if i := slices.IndexFunc(waiting, func(q outbox.Queue) bool { return q.Channel == c }); i >= 0 {
			q = &waiting[i]
		}
		channel := string(c)
		out = append(out, metrics.Queue{Channel: channel, State: "ready", Messages: q.Ready, Oldest: q.ReadySince},
			metrics.Queue{Channel: channel, State: "due", Messages: q.Due, Oldest: q.DueSince}, metrics.Queue{Channel: channel, State: "later", Messages: q.Later})
	}
	return out, err
}

func senderStates(ctx context.Context, d *db.DB) (out []metrics.Senders, err error) {
	groups, err := connections.Groups(d.Read(ctx))
	for _, g := range groups {
		out = append(out, metrics.Senders{Gateway: g.Gateway, Channel: g.Channel, State: string(g.State), Count: g.Senders})
	}
	return out, err
}

func backlogs(ctx context.Context, d *db.DB) (out []metrics.Backlog, err error) {
	for service, queue := range map[string]*webhook.Queue{"auth": authwebhooks.Queue(), "logout": logout.Queue(), "messaging": webhooks.Queue()} {
		pending, oldest, err := queue.Backlog(ctx, d, clock.System())
		if err != nil {
			return nil, err
		}
		out = append(out, metrics.Backlog{Service: service, Pending: pending, Oldest: oldest})
	}
	return out, nil
}

func (a *app) gatewayStates() (out []metrics.GatewayState) {
	for _, name := range a.gateways.Names() {
		state := metrics.GatewayState{Name: name}
		for code, addresses := range a.gateways.Outages(name) {
			state.Outages = append(state.Outages, metrics.Outage{Code: code, Addresses: addresses})
		}
		out = append(out, state)
	}
	for _, name := range a.stored.NotOpen() {
		out = append(out, metrics.GatewayState{Name: name, Outages: []metrics.Outage{{Code: notOpened, Addresses: 1}}})
	}
	return out
}

// notOpened is the code of a stored gateway whose settings can't be used.
const notOpened = "not_opened"

func (a *app) certificates() []metrics.Certificate {
	if a.certificate == nil || a.certificate.pair == nil {
		return nil
	}
	return []metrics.Certificate{{Name: "tls.cert", Expires: a.certificate.pair.Leaf().NotAfter}}
}

func pools(d *db.DB) (out []metrics.Pool) {
	for _, p := range d.Pools() {
		out = append(out, metrics.Pool{Name: p.Name, InUse: p.InUse, Idle: p.Idle, Max: p.MaxOpenConnections, Waits: p.WaitCount, Waited: p.WaitDuration})
	}
	return out
}

package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"example.com/griot/internal/actor"
	"github.com/spf13/cobra"

	"example.com/griot/auth/login"
	"example.com/griot/auth/tenant"
	"example.com/griot/gateway"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/seal"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/audit"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/otp"
	"example.com/griot/messaging/outbox"
)

// restored is the result of processing a restored database.
type restored struct {
	from, at                               time.Time // the events between the two are unknown
	messages, logins, sessions, challenges int64
}

// markDatabase processes a database that other tools have restored in the same way as restore processes a backup.
func markDatabase(c *cobra.Command, o *adminOptions) error {
	deployed, err := o.deployment()
	if err != nil {
		return err
	}
	if err := deployed.mustExist(); err != nil {
		return err
	}
	d, err := db.Open(c.Context(), deployed.c.Database)
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }()
	if err := d.CheckSchema(c.Context()); err != nil {
		return err
	}
	if err := noNodes(c.Context(), d); err != nil {
		return err
	}
	done, err := markRestored(c.Context(), d, time.Time{})
	if err != nil {
		return err
	}
	return done.show(c.OutOrStdout(), string(d.Engine()))
}

// nodesGone is the time after a restore in which a node's lease can exist without a running node.
const nodesGone = 12 * time.Second

// noNodes waits until no lease is valid. It returns an error if a lease is renewed, because a server
// then uses the database.
func noNodes(ctx context.Context, d *db.DB) error {
	for until := clock.System().Add(nodesGone); ; {
		alive := false
		nodes, err := outbox.Nodes(ctx, d, 1)
		for _, n := range nodes {
			alive = alive || n.Alive
		}
		switch {
		case err != nil:
			return err
		case !alive:
			return nil
		case clock.System().After(until):
			return errors.New("servers use this database; stop them first")
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

// markRestored ensures that nothing in a restored database is sent or used a second time. from is the time up to which
// the database is complete; zero: the time of its latest row. If the process dies here, the next server processes the
// remaining messages at its start.
func markRestored(ctx context.Context, d *db.DB, from time.Time) (*restored, error) {
	if _, err := d.Migrate(ctx); err != nil {
		return nil, err
	}
	last, err := outbox.LastKnown(d.Read(ctx))
	if err != nil {
		return nil, err
	}
	r := &restored{from: from, at: clock.System()}
	if from.IsZero() {
		r.from = last
		before, err := outbox.FindSendingPause(d.Read(ctx))
		if err != nil {
			return nil, err
		}
		if before != nil && !before.RestoredFrom.IsZero() && !last.After(before.At) { // only an earlier mark has written since
			r.from = before.RestoredFrom
		}
	}
	pause := &outbox.SendingPause{At: r.at, Reason: outbox.PausedByRestore, RestoredFrom: r.from, EndBefore: r.at}
	if last.After(r.at) { // the previous clock was ahead of this one
		pause.EndBefore = last
	}
	event := audit.New(actor.With(ctx, actor.Actor{Type: actor.Operator}), r.at, "", audit.SendingPaused, "").With("restoredFrom", r.from.UTC().Format(time.RFC3339))
	err = d.Write(ctx, func(tx *db.Tx) error { return r.void(tx, pause, event) })
	if err != nil {
		return nil, err
	}
	key, err := seal.ParseKey(seal.NewMasterKey()) // nothing is opened with it
	if err != nil {
		return nil, err
	}
	engine := delivery.New(delivery.Options{DB: d, Key: key, Directory: account.NewDirectory(d, clock.System), Gateways: gateway.NewSet(nil), Now: clock.System, Log: slog.New(slog.DiscardHandler)})
	ended, err := engine.EndRestored(ctx)
	if err != nil {
		return nil, fmt.Errorf("ending messages that might have been sent: %w", err)
	}
	r.messages = int64(ended)
	return r, nil
}

// void ends logins and sessions that might have been used since the backup, and pauses sending.
func (r *restored) void(tx *db.Tx, pause *outbox.SendingPause, event *audit.Event) (err error) {
	if r.logins, err = login.VoidLive(tx, r.at); err != nil {
		return err
	}
	tenants, err := tenant.VoidSessions(tx, r.at)
	if err != nil {
		return err
	}
	accounts, err := account.VoidSessions(tx, r.at)
	if err != nil {
		return err
	}
	r.sessions = tenants + accounts
	if r.challenges, err = otp.VoidLive(tx, r.at); err != nil {
		return err
	}
	if err := outbox.PauseRestored(tx, pause); err != nil {
		return err
	}
	return audit.Record(tx, event)
}

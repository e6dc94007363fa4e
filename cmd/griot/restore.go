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

// restored is what was done to a restored database.
type restored struct {
	from, at                               time.Time // what happened between the two is not known
	messages, logins, sessions, challenges int64
}

// markDatabase does to a database that other tools have restored what restore does to a backup.
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

// nodesGone is how long a node's lease may be held by nobody after a restore.
const nodesGone = 12 * time.Second

// noNodes waits until no lease holds, and fails where somebody renews one: a server uses the database.
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
			return errors.New("servers use this database: stop them first")
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

// markRestored makes a restored database one in which nothing is sent or used a second time. from is until when it knows
// what happened; zero: until the latest thing in it. What a process that dies here has not ended of the messages, the next
// server ends at its start.
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
	}
	pause := &outbox.SendingPause{At: r.at, Reason: outbox.PausedByRestore, RestoredFrom: r.from, EndBefore: r.at}
	if last.After(r.at) { // the clock before was ahead of this one
		pause.EndBefore = last
	}
	event := audit.New(actor.With(ctx, actor.Actor{Type: actor.Operator}), r.at, "", audit.SendingPaused, "").With("restoredFrom", r.from.UTC().Format(time.RFC3339))
	err = d.Write(ctx, func(tx *db.Tx) error { return r.void(tx, pause, event) })
	if err != nil {
		return nil, err
	}
	key, err := seal.ParseKey(seal.NewMasterKey()) // nothing is opened
	if err != nil {
		return nil, err
	}
	engine := delivery.New(delivery.Options{DB: d, Key: key, Directory: account.NewDirectory(d, clock.System), Gateways: gateway.NewSet(nil), Now: clock.System, Log: slog.New(slog.DiscardHandler)})
	ended, err := engine.EndRestored(ctx)
	if err != nil {
		return nil, fmt.Errorf("ending what may have been sent: %w", err)
	}
	r.messages = int64(ended)
	return r, nil
}

// void ends what may have been used since the backup, and pauses sending.
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

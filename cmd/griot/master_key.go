package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"time"

	"github.com/spf13/cobra"

	authevents "example.com/griot/auth/events"
	"example.com/griot/auth/token"
	"example.com/griot/cmd/griot/console"
	"example.com/griot/gateway/gatewaystore"
	"example.com/griot/internal/admin"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/masterkey"
	"example.com/griot/internal/seal"
	"example.com/griot/messaging/audit"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/events"
	"example.com/griot/messaging/inbox"
	"example.com/griot/messaging/message"
	persons "example.com/griot/messaging/person"
	"example.com/griot/messaging/privacy"
)

// newRotation returns the rotation of a deployment's master key, with all that both services and the gateways have sealed.
func newRotation(d *db.DB, key *seal.Key, log *slog.Logger) *masterkey.Rotation {
	return &masterkey.Rotation{
		DB: d, Key: key, Now: clock.System, Log: log, Lasting: []string{persons.Purpose, message.SweptKeysPurpose},
		Places: slices.Concat(token.Sealed(), gatewaystore.Sealed(), delivery.Sealed(), inbox.Sealed(), privacy.Sealed(), events.Queue().Sealed(), authevents.Queue().Sealed()),
	}
}

// masterKeyState is how far a rotation is, as the commands show it.
type masterKeyState struct {
	Sealing    string     `json:"sealing"` // the name of the key
	Previous   string     `json:"previous,omitempty"`
	Walk       int64      `json:"walk,omitempty"`
	Resealed   int64      `json:"resealed"`
	Unreadable int64      `json:"unreadable"`
	StartedAt  *time.Time `json:"startedAt"` // null: there was no rotation yet
	FinishedAt *time.Time `json:"finishedAt"`
}

// masterKeyVerbs are the commands of a rotation. Without a server they do it all; else it goes on behind them.
func masterKeyVerbs(r *masterkey.Rotation, served bool) admin.Verbs {
	shown := func(s *masterkey.State) masterKeyState {
		if s == nil {
			return masterKeyState{Sealing: r.Key.Sealing()}
		}
		if s.Pass == 0 {
			return masterKeyState{Sealing: s.Sealing}
		}
		out := masterKeyState{Sealing: s.Sealing, Previous: s.Previous, Walk: s.Pass, Resealed: s.Resealed, Unreadable: s.Unreadable, StartedAt: &s.StartedAt}
		if !s.FinishedAt.IsZero() {
			out.FinishedAt = &s.FinishedAt
		}
		return out
	}
	type nothing struct{}
	return admin.Verbs{
		"master-key.show": admin.Do(func(ctx context.Context, _ *nothing) (masterKeyState, error) {
			s, err := r.State(ctx)
			return shown(s), err
		}),
		"master-key.rotate": admin.Do(func(ctx context.Context, _ *nothing) (masterKeyState, error) {
			s, err := r.Begin(ctx)
			if errors.Is(err, masterkey.ErrSameKey) || errors.Is(err, masterkey.ErrBehind) {
				return masterKeyState{}, admin.Refuse("%s.", err)
			}
			if err != nil {
				return masterKeyState{}, err
			}
			event := audit.New(audit.WithActor(ctx, audit.Actor{Type: audit.Operator}), clock.System(), "", audit.MasterKeyRotated, s.Sealing)
			if err := r.DB.Write(ctx, func(tx *db.Tx) error { return audit.Record(tx, event) }); err != nil {
				return masterKeyState{}, err
			}
			if !served {
				if err := r.Finish(ctx); err != nil {
					return masterKeyState{}, err
				}
				s, err = r.State(ctx)
			}
			return shown(s), err
		}),
	}
}

func adminMasterKey(o *adminOptions) *cobra.Command {
	return group("master-key", "The master key, with which all secrets are sealed", masterKeyCommand(o, "show", "Show which key seals, and how far a rotation is"),
		masterKeyCommand(o, "rotate", "Seal everything with master_key_file anew, while the server runs with master_key_previous_file beside it"))
}

// servedRotation asks the server, which does the rotation, how far it is.
func (o *adminOptions) servedRotation(ctx context.Context) (s masterKeyState, err error) {
	raw, err := o.callServer(ctx, "master-key.show", []byte("{}"))
	switch {
	case errors.Is(err, admin.ErrNoServer):
		return s, errors.New("the server has ended before the rotation did, which is not lost: start griot serve, and it continues; or run griot admin master-key rotate again, which does it without a server")
	case err != nil:
		return s, fmt.Errorf("%w (the rotation goes on behind the server: griot admin master-key show)", err)
	}
	return s, json.Unmarshal(raw, &s)
}

const (
	rotationLook = time.Second
	rotationWait = 30 * time.Minute // then it goes on without somebody who looks
)

func masterKeyCommand(o *adminOptions, name, short string) *cobra.Command {
	return &cobra.Command{
		Use: name, Short: short, Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			show := func(w io.Writer, s masterKeyState) {
				console.Row(w, "sealing", s.Sealing)
				if s.StartedAt == nil {
					return
				}
				console.Row(w, "previous", s.Previous)
				console.Row(w, "started", *s.StartedAt)
				console.Row(w, "finished", optionalTime(s.FinishedAt))
				console.Row(w, "sealed anew", s.Resealed)
				console.Row(w, "unreadable", s.Unreadable)
			}
			s, err := verbResult(c, o, "master-key."+name, struct{}{}, show)
			for until := clock.System().Add(rotationWait); err == nil && name == "rotate" && s.FinishedAt == nil && clock.System().Before(until); {
				select {
				case <-c.Context().Done():
					return c.Context().Err()
				case <-time.After(rotationLook):
				}
				if s, err = o.servedRotation(c.Context()); err != nil {
					return err
				}
				if s.FinishedAt != nil {
					_, err = verbResult(c, o, "master-key.show", struct{}{}, show)
				}
			}
			return err
		},
	}
}

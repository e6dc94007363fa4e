package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"example.com/griot/auth/token"
	authwebhooks "example.com/griot/auth/webhooks"
	"example.com/griot/gateway/gatewaystore"
	"example.com/griot/internal/actor"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/masterkey"
	"example.com/griot/internal/seal"
	"example.com/griot/internal/verb"
	"example.com/griot/messaging/audit"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/erasure"
	"example.com/griot/messaging/inbox"
	"example.com/griot/messaging/message"
	persons "example.com/griot/messaging/person"
	"example.com/griot/messaging/webhooks"
)

// newRotation returns the rotation of a deployment's master key, with all places of sealed data of both services and
// the gateways.
func newRotation(d *db.DB, key *seal.Key, log *slog.Logger) *masterkey.Rotation {
	return &masterkey.Rotation{
		DB: d, Key: key, Now: clock.System, Log: log, Lasting: []string{persons.Purpose, message.SweptKeysPurpose},
		Places: slices.Concat(token.Sealed(), gatewaystore.Sealed(), delivery.Sealed(), inbox.Sealed(), erasure.Sealed(), webhooks.Queue().Sealed(), authwebhooks.Queue().Sealed()),
	}
}

// masterKeyState is the progress of a rotation as the commands show it.
type masterKeyState struct {
	Sealing    string     `json:"sealing" row:"sealing"` // the name of the key
	Previous   string     `json:"previous,omitempty" row:"previous"`
	Walk       int64      `json:"walk,omitempty"`
	Resealed   int64      `json:"resealed" row:"sealed again"`
	Unreadable int64      `json:"unreadable" row:"unreadable"`
	StartedAt  *time.Time `json:"startedAt" row:"started"` // null: no rotation so far
	FinishedAt *time.Time `json:"finishedAt" row:"finished"`
}

// rotationVerbs runs the verbs of a rotation. Without a server, they perform all steps. Otherwise the
// rotation continues after them.
type rotationVerbs struct {
	*masterkey.Rotation
	served bool
}

// rotationTable returns the verbs of a rotation without a service.
func rotationTable() verb.Verbs {
	return verb.Verbs{
		verb.Define("master-key.show", "Show the master key in use and a rotation's progress", verb.Reads, (*rotationVerbs).show),
		verb.Define("master-key.rotate", "Seal all stored secrets with the new master key", verb.Changes, (*rotationVerbs).rotate).Explained("Seal all stored secrets with master_key_file. During the rotation, master_key_previous_file must also be set."),
	}
}

func masterKeyVerbs(r *masterkey.Rotation, served bool) verb.Verbs {
	return verb.Bind(&rotationVerbs{r, served}, rotationTable(), nil)
}

func (r *rotationVerbs) show(ctx context.Context, _ *struct{}) (masterKeyState, error) {
	s, err := r.State(ctx)
	return r.shown(s), err
}

func (r *rotationVerbs) shown(s *masterkey.State) masterKeyState {
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

func (r *rotationVerbs) rotate(ctx context.Context, _ *struct{}) (masterKeyState, error) {
	s, err := r.Begin(ctx)
	if errors.Is(err, masterkey.ErrSameKey) || errors.Is(err, masterkey.ErrBehind) {
		return masterKeyState{}, verb.Refuse("%s.", err)
	}
	if err != nil {
		return masterKeyState{}, err
	}
	event := audit.New(actor.With(ctx, actor.Actor{Type: actor.Operator}), clock.System(), "", audit.MasterKeyRotated, s.Sealing)
	if err := r.DB.Write(ctx, func(tx *db.Tx) error { return audit.Record(tx, event) }); err != nil {
		return masterKeyState{}, err
	}
	if !r.served {
		if err := r.Finish(ctx); err != nil {
			return masterKeyState{}, err
		}
		s, err = r.State(ctx)
	}
	return r.shown(s), err
}

// servedRotation requests the progress from the server, which performs the rotation.
func (o *adminOptions) servedRotation(ctx context.Context) (s masterKeyState, raw []byte, err error) {
	raw, err = o.callServer(ctx, "master-key.show", []byte("{}"))
	switch {
	case errors.Is(err, verb.ErrNoServer):
		return s, nil, errors.New("the server stopped before the rotation was complete. Nothing is lost: start griot serve to continue, or run griot admin master-key rotate again to continue without a server")
	case err != nil:
		return s, nil, fmt.Errorf("%w (the rotation continues on the server: griot admin master-key show)", err)
	}
	return s, raw, json.Unmarshal(raw, &s)
}

package audit

import (
	"context"
	"net/netip"
)

// ActorType is what kind of actor has changed something.
type ActorType string

// The kinds of actors.
const (
	Owner    ActorType = "owner"    // the account's owner, signed in
	Member   ActorType = "member"   // a member, signed in
	Key      ActorType = "key"      // a program with one of the account's keys
	Operator ActorType = "operator" // whoever runs the service
	System   ActorType = "system"   // the service itself
)

// Actor is who has changed something.
type Actor struct {
	Type  ActorType
	ID    string // of a member or a key
	Email string // of an owner or a member
}

// request is what is known of a request. Its handler alone writes it.
type request struct {
	actor Actor
	ip    netip.Addr
}

type contextKey struct{}

// WithRequest returns the context of a request from an address, whose actor [SetActor] sets.
func WithRequest(ctx context.Context, from netip.Addr) context.Context {
	return context.WithValue(ctx, contextKey{}, &request{actor: Actor{Type: System}, ip: from})
}

// WithActor returns the context of what an actor does without a request.
func WithActor(ctx context.Context, a Actor) context.Context {
	return context.WithValue(ctx, contextKey{}, &request{actor: a})
}

// SetActor sets who makes a request. Without [WithRequest] it does nothing.
func SetActor(ctx context.Context, a Actor) {
	if r, ok := ctx.Value(contextKey{}).(*request); ok {
		r.actor = a
	}
}

// Source returns who acts in a context, and from which address; an invalid address is an unknown one.
func Source(ctx context.Context) (Actor, netip.Addr) {
	if r, ok := ctx.Value(contextKey{}).(*request); ok {
		return r.actor, r.ip
	}
	return Actor{Type: System}, netip.Addr{}
}

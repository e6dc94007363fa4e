// Package actor brings who makes a change from where the caller is resolved to where the audit event of the change is
// stored, by the context.
package actor

import (
	"context"
	"net/netip"
)

// Type is what kind of actor makes a change.
type Type string

// The types.
const (
	Owner    Type = "owner"    // an account's owner, signed in
	Member   Type = "member"   // a member of an account, signed in
	Key      Type = "key"      // a program with one of an account's keys
	Tenant   Type = "tenant"   // somebody in the dashboard of a tenant of the login service
	Operator Type = "operator" // whoever runs the service
	System   Type = "system"   // the service itself
)

// Actor is who makes a change, and by which request. It is not changed after it was made.
type Actor struct {
	Type      Type
	ID        string     // of a member or a key
	Email     string     // of an owner or a member
	Address   netip.Addr // of the request; invalid: there is none
	RequestID string
}

type contextKey struct{}

// With returns a context in which an actor makes changes.
func With(ctx context.Context, a Actor) context.Context {
	return context.WithValue(ctx, contextKey{}, a)
}

// From returns who makes changes in a context; without one the service itself.
func From(ctx context.Context) Actor {
	if a, ok := ctx.Value(contextKey{}).(Actor); ok {
		return a
	}
	return Actor{Type: System}
}

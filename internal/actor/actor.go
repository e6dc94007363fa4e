// Package actor carries the author of a change and what is known of its request in the context: from the guard that
// identifies the caller and reads these values once, to the handlers and the code that stores the audit event.
package actor

import (
	"context"
	"net/netip"

	"example.com/griot/internal/i18n"
)

// Type is an actor's kind.
type Type string

// The types.
const (
	Owner    Type = "owner"    // an account's owner, signed in
	Member   Type = "member"   // a member of an account, signed in
	Key      Type = "key"      // a program with one of an account's keys
	Tenant   Type = "tenant"   // a user of a tenant's dashboard in the login service
	Operator Type = "operator" // the operator of the service
	System   Type = "system"   // the service itself
)

// Actor is the author of a change and its request. It is not modified after its creation.
type Actor struct {
	Type      Type
	ID        string     // of a member or a key
	Email     string     // of an owner or a member
	Address   netip.Addr // of the request; invalid if there is none
	RequestID string     // ID26; empty if there is no request
	Lang      i18n.Lang  // of the request's texts and pages; empty if there is no request
}

type contextKey struct{}

// With returns a context in which an actor makes changes.
func With(ctx context.Context, a Actor) context.Context {
	return context.WithValue(ctx, contextKey{}, a)
}

// From returns the author of changes in a context. Without one, it returns the service itself.
func From(ctx context.Context) Actor {
	if a, ok := ctx.Value(contextKey{}).(Actor); ok {
		return a
	}
	return Actor{Type: System}
}

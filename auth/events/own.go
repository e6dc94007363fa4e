package events

import (
	"context"
	"errors"
	"time"

	"example.com/griot/internal/fault"
	"example.com/griot/internal/webhook"
)

// What follows is what a tenant's own people may do.

// SetOwn sets a tenant's endpoint, or removes it when url is empty; url is one that [webhook.Endpoints.CheckURL] accepts. A tenant
// without a secret gets one, which is returned. An endpoint that an operator has disabled stays as it is.
func (e *Endpoints) SetOwn(ctx context.Context, tenantID, url string) (secret string, err error) {
	secret, err = e.SetByOwner(ctx, tenantID, url)
	if errors.Is(err, webhook.ErrDisabled) {
		err = fault.AuthEndpointDisabled.Err()
	}
	return secret, err
}

// own returns the state of a tenant's endpoint; a tenant without one is refused.
func (e *Endpoints) own(ctx context.Context, tenantID string) (*webhook.State, error) {
	s, err := e.State(ctx, tenantID)
	if err == nil && (s == nil || s.URL == "") {
		err = fault.AuthNoEndpoint.Err()
	}
	return s, err
}

// EnableOwn enables a tenant's endpoint that has failed for too long. One that an operator has disabled stays so.
func (e *Endpoints) EnableOwn(ctx context.Context, tenantID string) (*webhook.State, error) {
	if _, err := e.own(ctx, tenantID); err != nil {
		return nil, err
	}
	s, err := e.EnableByOwner(ctx, tenantID)
	if err == nil && s != nil && s.DisabledFor == webhook.ForOperator {
		err = fault.AuthEndpointDisabled.Err()
	}
	return s, err
}

// RotateOwn replaces the secret of a tenant's endpoint. The previous one goes on signing until a time.
func (e *Endpoints) RotateOwn(ctx context.Context, tenantID string) (secret string, until time.Time, err error) {
	if _, err := e.own(ctx, tenantID); err != nil {
		return "", time.Time{}, err
	}
	return e.Rotate(ctx, tenantID)
}

// PingOwn stores an event that tests a tenant's endpoint, and returns its id.
func (e *Endpoints) PingOwn(ctx context.Context, tenantID string) (eventID string, err error) {
	if _, err := e.own(ctx, tenantID); err != nil {
		return "", err
	}
	return e.Ping(ctx, tenantID)
}

// EventOwn returns one of a tenant's events. Absent and foreign ones are refused alike.
func (e *Endpoints) EventOwn(ctx context.Context, tenantID, eventID string) (*webhook.Stored, error) {
	s, err := e.Event(ctx, tenantID, eventID)
	if err == nil && s == nil {
		err = fault.AuthEventNotFound.Err()
	}
	return s, err
}

// ResendOwn makes one of a tenant's events due again, and returns it as it is then.
func (e *Endpoints) ResendOwn(ctx context.Context, tenantID, eventID string) (*webhook.Stored, error) {
	if _, err := e.EventOwn(ctx, tenantID, eventID); err != nil {
		return nil, err
	}
	if _, err := e.own(ctx, tenantID); err != nil {
		return nil, err
	}
	if _, err := e.Resend(ctx, tenantID, eventID); err != nil {
		return nil, err
	}
	return e.EventOwn(ctx, tenantID, eventID)
}

package webhooks

import (
	"context"
	"errors"
	"time"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/webhook"
)

// The following methods are the actions of a tenant's own staff.

// SetOwn sets a tenant's endpoint, or removes it when url is empty; url is one that [webhook.Endpoints.CheckURL]
// accepts. If the tenant has no secret, SetOwn creates and returns one. An endpoint that an operator has disabled stays
// disabled.
func (e *Endpoints) SetOwn(ctx context.Context, tenantID, url string) (secret string, err error) {
	secret, err = e.SetByOwner(ctx, tenantID, url)
	if errors.Is(err, webhook.ErrDisabled) {
		err = apierror.AuthEndpointDisabled.Err()
	}
	return secret, err
}

// own returns the state of a tenant's endpoint. It refuses a tenant without one.
func (e *Endpoints) own(ctx context.Context, tenantID string) (*webhook.State, error) {
	s, err := e.State(ctx, tenantID)
	if err == nil && (s == nil || s.URL == "") {
		err = apierror.AuthNoEndpoint.Err()
	}
	return s, err
}

// EnableOwn enables a tenant's endpoint that has failed for too long. An endpoint that an operator has disabled
// stays disabled.
func (e *Endpoints) EnableOwn(ctx context.Context, tenantID string) (*webhook.State, error) {
	if _, err := e.own(ctx, tenantID); err != nil {
		return nil, err
	}
	s, err := e.EnableByOwner(ctx, tenantID)
	if err == nil && s != nil && s.DisabledFor == webhook.ForOperator {
		err = apierror.AuthEndpointDisabled.Err()
	}
	return s, err
}

// RotateOwn replaces the secret of a tenant's endpoint. The previous secret is also used for signatures until a time.
func (e *Endpoints) RotateOwn(ctx context.Context, tenantID string) (secret string, until time.Time, err error) {
	if _, err := e.own(ctx, tenantID); err != nil {
		return "", time.Time{}, err
	}
	return e.Rotate(ctx, tenantID)
}

// PingOwn stores a test event for a tenant's endpoint and returns its id.
func (e *Endpoints) PingOwn(ctx context.Context, tenantID string) (eventID string, err error) {
	if _, err := e.own(ctx, tenantID); err != nil {
		return "", err
	}
	return e.Ping(ctx, tenantID)
}

// EventOwn returns one of a tenant's events. It returns the same error for an unknown event and for another tenant's.
func (e *Endpoints) EventOwn(ctx context.Context, tenantID, eventID string) (*webhook.Stored, error) {
	s, err := e.Event(ctx, tenantID, eventID)
	if err == nil && s == nil {
		err = apierror.AuthEventNotFound.Err()
	}
	return s, err
}

// ResendOwn makes one of a tenant's events due again and returns its new state.
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

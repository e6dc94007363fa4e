package api

import (
	"context"
	"time"

	"example.com/griot/internal/fault"
	"example.com/griot/internal/webhook"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/events"
)

// The methods below are the actions on an owner's webhook that the JSON routes and the pages share.

// EnableWebhook enables an endpoint that was disabled because it failed, and returns its state.
//
// Errors: webhook_not_configured; forbidden if an operator has disabled it.
func (a *API) EnableWebhook(ctx context.Context, owner *account.Account) (*webhook.State, error) {
	s, err := a.o.Endpoints.EnableByOwner(ctx, owner.ID)
	switch {
	case err != nil:
		return nil, err
	case s == nil || s.URL == "":
		return nil, fault.NoEndpoint.Err()
	case s.DisabledFor == webhook.ForOperator:
		return nil, fault.Forbidden.Err().Detailf("The operator has disabled the endpoint.")
	}
	return s, nil
}

// WebhookEvent returns one of the owner's events. For missing events and those of other accounts, the error is event_not_found.
func (a *API) WebhookEvent(ctx context.Context, owner *account.Account, eventID string) (*events.Stored, error) {
	s, err := a.o.Endpoints.Event(ctx, owner.ID, eventID)
	if err == nil && s == nil {
		err = fault.EventNotFound.Err()
	}
	return s, err
}

// ResendEvent schedules one of the owner's events for delivery again, and returns it.
//
// Errors: event_not_found, webhook_not_configured.
func (a *API) ResendEvent(ctx context.Context, owner *account.Account, eventID string) (*events.Stored, error) {
	s, err := a.WebhookEvent(ctx, owner, eventID)
	if err != nil {
		return nil, err
	}
	if err := requireEndpoint(owner); err != nil {
		return nil, err
	}
	if _, err := a.o.Endpoints.Resend(ctx, owner.ID, s.ID); err != nil {
		return nil, err
	}
	return a.WebhookEvent(ctx, owner, eventID)
}

// ResendFailedEvents schedules the owner's events that happened since a time and have failed for delivery again, and
// returns their number.
//
// Errors: webhook_not_configured.
func (a *API) ResendFailedEvents(ctx context.Context, owner *account.Account, since time.Time) (int, error) {
	if err := requireEndpoint(owner); err != nil {
		return 0, err
	}
	if since.Before(time.UnixMilli(0)) {
		since = time.UnixMilli(0)
	}
	return a.o.Endpoints.ResendFailed(ctx, owner.ID, since)
}

// PingWebhook stores an event that tests the endpoint or the listeners.
//
// Errors: webhook_not_configured.
func (a *API) PingWebhook(ctx context.Context, owner *account.Account) (*events.Event, error) {
	if !events.Wanted(owner, a.o.Now()) {
		return nil, fault.NoEndpoint.Err()
	}
	return a.o.Endpoints.Ping(ctx, owner.ID)
}

// requireEndpoint returns an error for accounts without an endpoint.
func requireEndpoint(owner *account.Account) error {
	if owner.WebhookURL == "" {
		return fault.NoEndpoint.Err()
	}
	return nil
}

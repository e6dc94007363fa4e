package webhooks

import (
	"context"
	"time"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/webhook"
	"example.com/griot/messaging/account"
)

// The methods below are the operations of callers on their account's webhook.

// StateFor returns the state of the account's endpoint, or nil if it never had one.
func (e *Endpoints) StateFor(ctx context.Context, c *account.Caller) (*webhook.State, error) {
	if err := account.MayManageWebhooks.Check(c, e.Now()); err != nil {
		return nil, err
	}
	return e.State(ctx, c.Account.ID)
}

// EventsFor returns a page of the account's events, newest first. It sets the filter's account.
//
// Errors: invalid_request, invalid_cursor.
func (e *Endpoints) EventsFor(ctx context.Context, c *account.Caller, f *Filter) (page []*Stored, next string, err error) {
	if err := account.MayManageWebhooks.Check(c, e.Now()); err != nil {
		return nil, "", err
	}
	switch f.AccountID = c.Account.ID; {
	case f.Delivery != "" && !f.Delivery.Valid():
		return nil, "", apierror.InvalidRequest.On("delivery").Detailf("delivery must be pending, delivered, failed, or not_sent.")
	case f.Before != "" && !ValidID(f.Before):
		return nil, "", apierror.InvalidCursor.On("cursor")
	}
	return e.Events(ctx, f)
}

// AttemptsFor returns the attempts to deliver one of the account's events, oldest first.
func (e *Endpoints) AttemptsFor(ctx context.Context, c *account.Caller, eventID string) ([]*webhook.Attempt, error) {
	if err := account.MayManageWebhooks.Check(c, e.Now()); err != nil {
		return nil, err
	}
	return e.Attempts(ctx, c.Account.ID, eventID)
}

// RotateListenSecretFor replaces the secrets of the account's streams like [Endpoints.RotateListenSecret].
func (e *Endpoints) RotateListenSecretFor(ctx context.Context, c *account.Caller) (string, error) {
	if err := account.MayManageWebhooks.Check(c, e.Now()); err != nil {
		return "", err
	}
	return e.RotateListenSecret(ctx, c.Account.ID)
}

// EnableFor enables an endpoint that was disabled because it failed, and returns its state.
//
// Errors: webhook_not_configured; forbidden if an operator has disabled it.
func (e *Endpoints) EnableFor(ctx context.Context, c *account.Caller) (*webhook.State, error) {
	if err := account.MayManageWebhooks.Check(c, e.Now()); err != nil {
		return nil, err
	}
	s, err := e.EnableByOwner(ctx, c.Account.ID)
	switch {
	case err != nil:
		return nil, err
	case s == nil || s.URL == "":
		return nil, apierror.NoEndpoint.Err()
	case s.DisabledFor == webhook.ForOperator:
		return nil, apierror.Forbidden.Err().Detailf("The operator has disabled the endpoint.")
	}
	return s, nil
}

// EventFor returns one of the events of the caller's account. For missing events and those of other accounts, the error is event_not_found.
func (e *Endpoints) EventFor(ctx context.Context, c *account.Caller, eventID string) (*Stored, error) {
	if err := account.MayManageWebhooks.Check(c, e.Now()); err != nil {
		return nil, err
	}
	s, err := e.Event(ctx, c.Account.ID, eventID)
	if err == nil && s == nil {
		err = apierror.EventNotFound.Err()
	}
	return s, err
}

// ResendFor schedules one of the account's events for delivery again, and returns it.
//
// Errors: event_not_found, webhook_not_configured.
func (e *Endpoints) ResendFor(ctx context.Context, c *account.Caller, eventID string) (*Stored, error) {
	if err := account.MayManageWebhooks.Check(c, e.Now()); err != nil {
		return nil, err
	}
	s, err := e.EventFor(ctx, c, eventID)
	if err != nil {
		return nil, err
	}
	if err := requireEndpoint(c.Account); err != nil {
		return nil, err
	}
	if _, err := e.Resend(ctx, c.Account.ID, s.ID); err != nil {
		return nil, err
	}
	return e.EventFor(ctx, c, eventID)
}

// ResendFailedFor schedules the account's events that happened since a time and have failed for delivery again, and
// returns their number.
//
// Errors: webhook_not_configured.
func (e *Endpoints) ResendFailedFor(ctx context.Context, c *account.Caller, since time.Time) (int, error) {
	if err := account.MayManageWebhooks.Check(c, e.Now()); err != nil {
		return 0, err
	}
	if err := requireEndpoint(c.Account); err != nil {
		return 0, err
	}
	if since.Before(time.UnixMilli(0)) {
		since = time.UnixMilli(0)
	}
	return e.ResendFailed(ctx, c.Account.ID, since)
}

// PingFor stores an event that tests the endpoint or the listeners.
//
// Errors: webhook_not_configured.
func (e *Endpoints) PingFor(ctx context.Context, c *account.Caller) (*Event, error) {
	if err := account.MayManageWebhooks.Check(c, e.Now()); err != nil {
		return nil, err
	}
	if !Wanted(c.Account, e.Now()) {
		return nil, apierror.NoEndpoint.Err()
	}
	return e.Ping(ctx, c.Account.ID)
}

// requireEndpoint returns an error for accounts without an endpoint.
func requireEndpoint(of *account.Account) error {
	if of.WebhookURL == "" {
		return apierror.NoEndpoint.Err()
	}
	return nil
}

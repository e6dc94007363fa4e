package webhooks

import (
	"context"
	"errors"
	"time"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/visible"
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
		return nil, errDisabledByOperator()
	}
	return s, nil
}

// SetFor sets the URL of the account's endpoint and enables it, or removes it if url is empty. It returns the new state of
// the endpoint. secret is the signing secret if SetFor has created one, and is never returned again.
//
// Errors: invalid_request; forbidden if accounts can't set their URL, or if an operator has disabled the endpoint.
func (e *Endpoints) SetFor(ctx context.Context, c *account.Caller, url string) (s *webhook.State, secret string, err error) {
	if err := account.MaySetWebhook.Check(c, e.Now()); err != nil {
		return nil, "", err
	}
	if err := e.requireOwnURL(); err != nil {
		return nil, "", err
	}
	if url = visible.Trim(url); url != "" {
		if err := e.CheckURL(url); err != nil {
			return nil, "", apierror.InvalidRequest.On("url").Detailf("The URL can't be used: %s.", err)
		}
	}
	secret, err = e.SetByOwner(ctx, c.Account.ID, url)
	if errors.Is(err, webhook.ErrDisabled) {
		err = errDisabledByOperator()
	}
	if err != nil {
		return nil, "", err
	}
	s, err = e.State(ctx, c.Account.ID)
	return s, secret, err
}

// RotateSecretFor replaces the signing secret of the account's endpoint, and returns the new one. The previous secret also
// signs until a time.
//
// Errors: webhook_not_configured; forbidden if accounts can't set their URL.
func (e *Endpoints) RotateSecretFor(ctx context.Context, c *account.Caller) (secret string, until time.Time, err error) {
	if err := account.MaySetWebhook.Check(c, e.Now()); err != nil {
		return "", time.Time{}, err
	}
	if err := e.requireOwnURL(); err != nil {
		return "", time.Time{}, err
	}
	s, err := e.State(ctx, c.Account.ID)
	switch {
	case err != nil:
		return "", time.Time{}, err
	case s == nil || s.URL == "":
		return "", time.Time{}, apierror.NoEndpoint.Err()
	}
	return e.Rotate(ctx, c.Account.ID)
}

// requireOwnURL returns an error if only operators set the URLs of accounts.
func (e *Endpoints) requireOwnURL() error {
	if !e.AccountsSetURL {
		return apierror.Forbidden.Err().Detailf("Only the operator sets the URL and its secret.")
	}
	return nil
}

// errDisabledByOperator returns the error for an endpoint that stays disabled.
func errDisabledByOperator() error {
	return apierror.Forbidden.Err().Detailf("The operator has disabled the endpoint.")
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

package verbs

import (
	"context"

	"example.com/griot/internal/verb"
	"example.com/griot/internal/visible"
	"example.com/griot/internal/webhook"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/webhooks"
)

// Webhooks returns the table of commands for accounts' endpoints and events.
func Webhooks(o Options, e *webhooks.Endpoints) verb.Verbs {
	return byOperator(&webhookOperations{service{o}, e}, webhookVerbs())
}

func webhookVerbs() verb.Verbs {
	return verb.Verbs{
		verb.Define("webhooks.endpoints", "List the accounts' endpoints", verb.Reads, (*webhookOperations).list),
		verb.Define("webhooks.show", "Show the state of an account's endpoint", verb.Reads, ofAccount((*webhookOperations).show)),
		verb.Define("webhooks.set", "Set the URL for an account's events", verb.Changes, ofAccount((*webhookOperations).set)).Explained("Set the URL for an account's events. An empty URL removes it. If the account has no signing secret, Griot creates one and prints it once."),
		verb.Define("webhooks.enable", "Enable an account's endpoint", verb.Changes, ofAccount((*webhookOperations).enable)).Explained("Enable an account's endpoint. Waiting events are delivered first."),
		verb.Define("webhooks.disable", "Disable an account's endpoint", verb.Changes, ofAccount((*webhookOperations).disable)).Explained("Disable an account's endpoint. Its events wait until it is enabled again."),
		verb.Define("webhooks.rotate-secret", "Replace an account's signing secret", verb.Changes, ofAccount((*webhookOperations).rotate)).Explained("Replace an account's signing secret, and print the new secret once. The previous secret also signs for 24 hours."),
		verb.Define("webhooks.rotate-stream-secret", "Replace the signing secrets of griot listen", verb.Changes, ofAccount((*webhookOperations).rotateStream)).Explained("Replace the secrets that sign the events of griot listen. The secret for live keys is printed."),
		verb.Define("webhooks.read-receipts", "Set whether an account gets events for read messages", verb.Changes, ofAccount((*webhookOperations).reads)),
		verb.Define("webhooks.ping", "Send a test event to an account's endpoint", verb.Changes, ofAccount((*webhookOperations).ping)),
		verb.Define("webhooks.list", "List an account's events, newest first", verb.Reads, ofAccount((*webhookOperations).events)),
		verb.Define("webhooks.attempts", "List the attempts to deliver an event, newest first", verb.Reads, ofAccount((*webhookOperations).attempts)),
		verb.Define("webhooks.resend", "Deliver an event again", verb.Changes, ofAccount((*webhookOperations).resend)).Explained("Deliver an event again, with the same ID."),
		verb.Define("webhooks.resend-failed", "Deliver an account's failed events again", verb.Changes, ofAccount((*webhookOperations).resendFailed)),
	}
}

type webhookOperations struct {
	service

	endpoints *webhooks.Endpoints
}

// An Endpoint is an account's webhook endpoint as operators see it.
type Endpoint struct {
	AccountID string `json:"accountId" col:"ACCOUNT"`
	Account   string `json:"account" col:"NAME"`
	webhook.View
	ReadReceipts bool `json:"readReceipts" row:"read receipts"`
}

func shownEndpoint(s *webhook.State) Endpoint {
	return Endpoint{AccountID: s.OwnerID, Account: s.OwnerName, View: s.View(), ReadReceipts: s.Choice}
}

const maxListed = 1000

// PageInput selects a page of a list.
type PageInput struct {
	After string `json:"after" flag:"after" help:"last account of the previous page"`
	Limit int    `json:"limit" flag:"limit" default:"100" help:"number of endpoints, at most 1000"`
}

func (w *webhookOperations) list(ctx context.Context, in *PageInput) ([]Endpoint, error) {
	if in.Limit < 1 || in.Limit > maxListed {
		return nil, verb.Refuse("The limit must be 1 to %d.", maxListed)
	}
	found, err := w.endpoints.States(ctx, in.After, in.Limit)
	out := make([]Endpoint, 0, len(found))
	for _, s := range found {
		out = append(out, shownEndpoint(s))
	}
	return out, err
}

func (w *webhookOperations) show(ctx context.Context, a *account.Account, _ *OfAccount) (Endpoint, error) {
	return w.changedEndpoint(ctx, a, "", nil)
}

// changedEndpoint returns an account's endpoint after a change, with a new secret if there is one, or err if it is not nil.
func (w *webhookOperations) changedEndpoint(ctx context.Context, a *account.Account, secret string, err error) (Endpoint, error) {
	if err != nil {
		return Endpoint{}, err
	}
	s, err := w.endpoints.State(ctx, a.ID)
	if err != nil || s == nil {
		return Endpoint{}, err
	}
	out := shownEndpoint(s)
	out.Secret = secret
	return out, nil
}

// SetInput sets the URL of an account's endpoint. An empty URL removes the endpoint.
type SetInput struct {
	OfAccount

	URL     string `json:"url" form:"optional" flag:"url,required" help:"https URL (empty: none)"`
	Request string `json:"request" form:"-" flag:"request" help:"ID of the account's request that this fulfills (griot admin requests list)"` // the completed request; empty: none
}

func (w *webhookOperations) set(ctx context.Context, a *account.Account, in *SetInput) (Endpoint, error) {
	in.URL = visible.Trim(in.URL)
	if in.URL != "" {
		if err := w.endpoints.CheckURL(in.URL); err != nil {
			return Endpoint{}, verb.Refuse("The URL can't be used: %s.", err)
		}
	}
	secret := ""
	err := w.carryOut(ctx, in.Request, a.ID, true, func() (err error) {
		secret, err = w.endpoints.Set(ctx, a.ID, in.URL)
		return err
	})
	return w.changedEndpoint(ctx, a, secret, err)
}

func (w *webhookOperations) enable(ctx context.Context, a *account.Account, _ *OfAccount) (Endpoint, error) {
	return w.changedEndpoint(ctx, a, "", w.endpoints.Enable(ctx, a.ID))
}

func (w *webhookOperations) disable(ctx context.Context, a *account.Account, _ *OfAccount) (Endpoint, error) {
	return w.changedEndpoint(ctx, a, "", w.endpoints.Disable(ctx, a.ID))
}

// rotateStream rotates the secret of live keys' streams and returns the new one.
func (w *webhookOperations) rotateStream(ctx context.Context, a *account.Account, _ *OfAccount) (Endpoint, error) {
	secret, err := w.endpoints.RotateListenSecret(ctx, a.ID)
	return w.changedEndpoint(ctx, a, secret, err)
}

func (w *webhookOperations) rotate(ctx context.Context, a *account.Account, _ *OfAccount) (Endpoint, error) {
	secret, _, err := w.endpoints.Rotate(ctx, a.ID)
	return w.changedEndpoint(ctx, a, secret, err)
}

// ReadsInput sets whether an account gets events for read messages.
type ReadsInput struct {
	OfAccount

	On bool `json:"on" flag:"on" default:"true" help:"send events for read messages"`
}

func (w *webhookOperations) reads(ctx context.Context, a *account.Account, in *ReadsInput) (Endpoint, error) {
	return w.changedEndpoint(ctx, a, "", w.endpoints.SetReadReceipts(ctx, a.ID, in.On))
}

package admin

import (
	"context"

	"example.com/griot/internal/admin"
	"example.com/griot/internal/webhook"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/events"
)

// Webhooks returns the table of commands for accounts' endpoints and events.
func Webhooks(o Options, e *events.Endpoints) admin.Verbs {
	return byOperator(&webhooks{service{o}, e}, webhookVerbs())
}

func webhookVerbs() admin.Verbs {
	return admin.Verbs{
		admin.Define("webhooks.endpoints", "List the endpoints that there are", admin.Reads, (*webhooks).list),
		admin.Define("webhooks.show", "Show the state of an account's endpoint", admin.Reads, ofAccount((*webhooks).show)),
		admin.Define("webhooks.set", "Set where an account's events go; a new secret is printed once", admin.Changes, ofAccount((*webhooks).set)),
		admin.Define("webhooks.enable", "Let events go out again; those that wait go first", admin.Changes, ofAccount((*webhooks).enable)),
		admin.Define("webhooks.disable", "Let events wait", admin.Changes, ofAccount((*webhooks).disable)),
		admin.Define("webhooks.rotate-secret", "Replace the signing secret, printed once; the one before goes on signing for 24 hours", admin.Changes, ofAccount((*webhooks).rotate)),
		admin.Define("webhooks.rotate-stream-secret", "Replace the secrets that sign what griot listen passes on; the live one is printed", admin.Changes, ofAccount((*webhooks).rotateStream)),
		admin.Define("webhooks.read-receipts", "Choose whether an account gets events of messages that were read", admin.Changes, ofAccount((*webhooks).reads)),
		admin.Define("webhooks.ping", "Test an endpoint with an event that reports nothing", admin.Changes, ofAccount((*webhooks).ping)),
		admin.Define("webhooks.list", "List an account's events, newest first", admin.Reads, ofAccount((*webhooks).events)),
		admin.Define("webhooks.attempts", "Show each try to deliver an event, the latest first", admin.Reads, ofAccount((*webhooks).attempts)),
		admin.Define("webhooks.resend", "Deliver an event again, under its id", admin.Changes, ofAccount((*webhooks).resend)),
		admin.Define("webhooks.resend-failed", "Deliver again what was given up", admin.Changes, ofAccount((*webhooks).resendFailed)),
	}
}

type webhooks struct {
	service

	endpoints *events.Endpoints
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
	After string `json:"after" flag:"after" help:"the last account of the page before"`
	Limit int    `json:"limit" flag:"limit" default:"100" help:"how many"`
}

func (w *webhooks) list(ctx context.Context, in *PageInput) ([]Endpoint, error) {
	if in.Limit < 1 || in.Limit > maxListed {
		return nil, admin.Refuse("The limit is 1 to %d.", maxListed)
	}
	found, err := w.endpoints.States(ctx, in.After, in.Limit)
	out := make([]Endpoint, 0, len(found))
	for _, s := range found {
		out = append(out, shownEndpoint(s))
	}
	return out, err
}

func (w *webhooks) show(ctx context.Context, a *account.Account, _ *OfAccount) (Endpoint, error) {
	return w.changedEndpoint(ctx, a, "", nil)
}

// changedEndpoint returns an account's endpoint after a change, with a new secret if there is one, or err if it is not nil.
func (w *webhooks) changedEndpoint(ctx context.Context, a *account.Account, secret string, err error) (Endpoint, error) {
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

	URL     string `json:"url" form:"optional" flag:"url,required" help:"an https address; empty for none"`
	Request string `json:"request" form:"-" flag:"request" help:"the account's request that this carries out (requests list)"` // the completed request; empty: none
}

func (w *webhooks) set(ctx context.Context, a *account.Account, in *SetInput) (Endpoint, error) {
	if in.URL != "" {
		if err := w.endpoints.CheckURL(in.URL); err != nil {
			return Endpoint{}, admin.Refuse("The address can't be used: %s.", err)
		}
	}
	secret := ""
	err := w.carryOut(ctx, in.Request, a.ID, true, func() (err error) {
		secret, err = w.endpoints.Set(ctx, a.ID, in.URL)
		return err
	})
	return w.changedEndpoint(ctx, a, secret, err)
}

func (w *webhooks) enable(ctx context.Context, a *account.Account, _ *OfAccount) (Endpoint, error) {
	return w.changedEndpoint(ctx, a, "", w.endpoints.Enable(ctx, a.ID))
}

func (w *webhooks) disable(ctx context.Context, a *account.Account, _ *OfAccount) (Endpoint, error) {
	return w.changedEndpoint(ctx, a, "", w.endpoints.Disable(ctx, a.ID))
}

// rotateStream rotates the secret of live keys' streams and returns the new one.
func (w *webhooks) rotateStream(ctx context.Context, a *account.Account, _ *OfAccount) (Endpoint, error) {
	secret, err := w.endpoints.RotateListenSecret(ctx, a.ID)
	return w.changedEndpoint(ctx, a, secret, err)
}

func (w *webhooks) rotate(ctx context.Context, a *account.Account, _ *OfAccount) (Endpoint, error) {
	secret, _, err := w.endpoints.Rotate(ctx, a.ID)
	return w.changedEndpoint(ctx, a, secret, err)
}

// ReadsInput sets whether an account gets events for read messages.
type ReadsInput struct {
	OfAccount

	On bool `json:"on" flag:"on" default:"true" help:"whether it gets them"`
}

func (w *webhooks) reads(ctx context.Context, a *account.Account, in *ReadsInput) (Endpoint, error) {
	return w.changedEndpoint(ctx, a, "", w.endpoints.SetReadReceipts(ctx, a.ID, in.On))
}

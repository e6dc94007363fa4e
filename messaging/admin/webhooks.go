package admin

import (
	"context"
	"strings"

	"example.com/griot/internal/admin"
	"example.com/griot/internal/db"
	"example.com/griot/internal/webhook"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/events"
)

// Webhooks returns the table of verbs about accounts' endpoints and events.
func Webhooks(o Options, d *db.DB, e *events.Endpoints) admin.Verbs {
	return byOperator(&webhooks{service{o}, d, e}, webhookVerbs())
}

func webhookVerbs() admin.Verbs {
	return admin.Verbs{
		admin.Define("webhooks.endpoints", "List the endpoints that there are", admin.Reads, (*webhooks).list),
		admin.Define("webhooks.show", "Show the state of an account's endpoint", admin.Reads, (*webhooks).show),
		admin.Define("webhooks.set", "Set where an account's events go; a new secret is printed once", admin.Changes, (*webhooks).set),
		admin.Define("webhooks.enable", "Let events go out again; those that wait go first", admin.Changes, (*webhooks).enable),
		admin.Define("webhooks.disable", "Let events wait", admin.Changes, (*webhooks).disable),
		admin.Define("webhooks.rotate-secret", "Replace the signing secret, printed once; the one before goes on signing for 24 hours", admin.Changes, (*webhooks).rotate),
		admin.Define("webhooks.rotate-stream-secret", "Replace the secrets that sign what griot listen passes on; the live one is printed", admin.Changes, (*webhooks).rotateStream),
		admin.Define("webhooks.read-receipts", "Choose whether an account gets events of messages that were read", admin.Changes, (*webhooks).reads),
		admin.Define("webhooks.ping", "Test an endpoint with an event that reports nothing", admin.Changes, (*webhooks).ping),
		admin.Define("webhooks.list", "List an account's events, newest first", admin.Reads, (*webhooks).events),
		admin.Define("webhooks.attempts", "Show each try to deliver an event, the latest first", admin.Reads, (*webhooks).attempts),
		admin.Define("webhooks.resend", "Deliver an event again, under its id", admin.Changes, (*webhooks).resend),
		admin.Define("webhooks.resend-failed", "Deliver again what was given up", admin.Changes, (*webhooks).resendFailed),
	}
}

type webhooks struct {
	service

	db        *db.DB
	endpoints *events.Endpoints
}

// find returns the id of the account with an id or e-mail address.
func (w *webhooks) find(ctx context.Context, name string) (string, error) {
	if strings.Contains(name, "@") {
		a, err := account.ByEmail(w.db.Read(ctx), name)
		if err != nil {
			return "", err
		}
		if a != nil {
			return a.ID, nil
		}
		return "", noAccount()
	}
	s, err := w.endpoints.State(ctx, name)
	if err == nil && s == nil {
		err = noAccount()
	}
	return name, err
}

func noAccount() error { return admin.Refuse("There is no such account.") }

// Endpoint is an account's endpoint as operators see it.
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

// PageInput is a page of a list.
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

func (w *webhooks) show(ctx context.Context, in *OfAccount) (Endpoint, error) {
	return w.act(ctx, in.Account, func(string) error { return nil })
}

// act changes an account's endpoint, and returns it.
func (w *webhooks) act(ctx context.Context, name string, do func(accountID string) error) (Endpoint, error) {
	accountID, err := w.find(ctx, name)
	if err == nil {
		err = do(accountID)
	}
	if err != nil {
		return Endpoint{}, err
	}
	s, err := w.endpoints.State(ctx, accountID)
	if err != nil || s == nil {
		return Endpoint{}, err
	}
	return shownEndpoint(s), nil
}

// SetInput is the address of an account's endpoint; empty: none.
type SetInput struct {
	Account string `json:"account" flag:"account,required" help:"an account's id, or its owner's e-mail address"`
	URL     string `json:"url" form:"optional" flag:"url,required" help:"an https address; empty for none"`
	Request string `json:"request" form:"-" flag:"request" help:"the account's request that this carries out (requests list)"` // empty: none
}

func (w *webhooks) set(ctx context.Context, in *SetInput) (Endpoint, error) {
	if in.URL != "" {
		if err := w.endpoints.CheckURL(in.URL); err != nil {
			return Endpoint{}, admin.Refuse("The address can't be used: %s.", err)
		}
	}
	secret := ""
	out, err := w.act(ctx, in.Account, func(accountID string) error {
		return w.carryOut(ctx, in.Request, accountID, true, func() (err error) {
			secret, err = w.endpoints.Set(ctx, accountID, in.URL)
			return err
		})
	})
	out.Secret = secret
	return out, err
}

func (w *webhooks) enable(ctx context.Context, in *OfAccount) (Endpoint, error) {
	return w.act(ctx, in.Account, func(accountID string) error { return w.endpoints.Enable(ctx, accountID) })
}

func (w *webhooks) disable(ctx context.Context, in *OfAccount) (Endpoint, error) {
	return w.act(ctx, in.Account, func(accountID string) error { return w.endpoints.Disable(ctx, accountID) })
}

// rotateStream shows the new secret of live keys' streams.
func (w *webhooks) rotateStream(ctx context.Context, in *OfAccount) (Endpoint, error) {
	secret := ""
	out, err := w.act(ctx, in.Account, func(accountID string) (err error) {
		secret, err = w.endpoints.RotateListenSecret(ctx, accountID)
		return err
	})
	out.Secret = secret
	return out, err
}

func (w *webhooks) rotate(ctx context.Context, in *OfAccount) (Endpoint, error) {
	secret := ""
	out, err := w.act(ctx, in.Account, func(accountID string) (err error) {
		secret, _, err = w.endpoints.Rotate(ctx, accountID)
		return err
	})
	out.Secret = secret
	return out, err
}

// ReadsInput says whether an account gets events of messages that were read.
type ReadsInput struct {
	Account string `json:"account" flag:"account,required" help:"an account's id, or its owner's e-mail address"`
	On      bool   `json:"on" flag:"on" default:"true" help:"whether it gets them"`
}

func (w *webhooks) reads(ctx context.Context, in *ReadsInput) (Endpoint, error) {
	return w.act(ctx, in.Account, func(accountID string) error { return w.endpoints.SetReadReceipts(ctx, accountID, in.On) })
}

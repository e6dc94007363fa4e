package admin

import (
	"context"
	"strings"

	"griot/internal/admin"
	"griot/internal/db"
	"griot/internal/webhook"
	"griot/messaging/account"
	"griot/messaging/events"
)

// Webhooks returns the table of verbs about accounts' endpoints and events.
func Webhooks(d *db.DB, e *events.Endpoints) admin.Verbs {
	h := &hooks{db: d, endpoints: e}
	return admin.Verbs{
		"webhooks.endpoints":            admin.Do(h.list),
		"webhooks.show":                 admin.Do(h.show),
		"webhooks.set":                  admin.Do(h.set),
		"webhooks.enable":               admin.Do(h.enable),
		"webhooks.disable":              admin.Do(h.disable),
		"webhooks.rotate-secret":        admin.Do(h.rotate),
		"webhooks.rotate-stream-secret": admin.Do(h.rotateStream),
		"webhooks.read-receipts":        admin.Do(h.reads),
		"webhooks.ping":                 admin.Do(h.ping),
		"webhooks.list":                 admin.Do(h.events),
		"webhooks.attempts":             admin.Do(h.attempts),
		"webhooks.resend":               admin.Do(h.resend),
		"webhooks.resend-failed":        admin.Do(h.resendFailed),
	}
}

type hooks struct {
	db        *db.DB
	endpoints *events.Endpoints
}

// find returns the id of the account that a text names.
func (h *hooks) find(ctx context.Context, name string) (string, error) {
	if strings.Contains(name, "@") {
		a, err := account.ByEmail(h.db.Read(ctx), name)
		if err != nil {
			return "", err
		}
		if a != nil {
			return a.ID, nil
		}
		return "", noAccount()
	}
	s, err := h.endpoints.State(ctx, name)
	if err == nil && s == nil {
		err = noAccount()
	}
	return name, err
}

func noAccount() error { return admin.Refuse("There is no such account.") }

// Endpoint is an account's endpoint as operators see it.
type Endpoint struct {
	AccountID string `json:"accountId"`
	Account   string `json:"account"`
	webhook.View
	ReadReceipts bool `json:"readReceipts"`
}

func shownEndpoint(s *webhook.State) Endpoint {
	return Endpoint{AccountID: s.OwnerID, Account: s.OwnerName, View: s.View(), ReadReceipts: s.Choice}
}

const maxListed = 1000

// PageInput is a page of a list.
type PageInput struct {
	After string `json:"after"`
	Limit int    `json:"limit"`
}

func (h *hooks) list(ctx context.Context, in *PageInput) ([]Endpoint, error) {
	if in.Limit < 1 || in.Limit > maxListed {
		return nil, admin.Refuse("The limit is 1 to %d.", maxListed)
	}
	found, err := h.endpoints.States(ctx, in.After, in.Limit)
	out := make([]Endpoint, 0, len(found))
	for _, s := range found {
		out = append(out, shownEndpoint(s))
	}
	return out, err
}

func (h *hooks) show(ctx context.Context, in *OfAccount) (Endpoint, error) {
	return h.act(ctx, in.Account, func(string) error { return nil })
}

// act does something to an account's endpoint, and shows it then.
func (h *hooks) act(ctx context.Context, name string, do func(accountID string) error) (Endpoint, error) {
	accountID, err := h.find(ctx, name)
	if err == nil {
		err = do(accountID)
	}
	if err != nil {
		return Endpoint{}, err
	}
	s, err := h.endpoints.State(ctx, accountID)
	if err != nil || s == nil {
		return Endpoint{}, err
	}
	return shownEndpoint(s), nil
}

// SetInput is where an account's events go; an empty address is nowhere.
type SetInput struct {
	Account string `json:"account"`
	URL     string `json:"url"`
}

func (h *hooks) set(ctx context.Context, in *SetInput) (Endpoint, error) {
	if in.URL != "" {
		if err := h.endpoints.CheckURL(in.URL); err != nil {
			return Endpoint{}, admin.Refuse("The address can't be used: %s.", err)
		}
	}
	secret := ""
	out, err := h.act(ctx, in.Account, func(accountID string) (err error) {
		secret, err = h.endpoints.Set(ctx, accountID, in.URL)
		return err
	})
	out.Secret = secret
	return out, err
}

func (h *hooks) enable(ctx context.Context, in *OfAccount) (Endpoint, error) {
	return h.act(ctx, in.Account, func(accountID string) error { return h.endpoints.Enable(ctx, accountID) })
}

func (h *hooks) disable(ctx context.Context, in *OfAccount) (Endpoint, error) {
	return h.act(ctx, in.Account, func(accountID string) error { return h.endpoints.Disable(ctx, accountID) })
}

// rotateStream shows the new secret of live keys' streams.
func (h *hooks) rotateStream(ctx context.Context, in *OfAccount) (Endpoint, error) {
	secret := ""
	out, err := h.act(ctx, in.Account, func(accountID string) (err error) {
		secret, err = h.endpoints.RotateListenSecret(ctx, accountID)
		return err
	})
	out.Secret = secret
	return out, err
}

func (h *hooks) rotate(ctx context.Context, in *OfAccount) (Endpoint, error) {
	secret := ""
	out, err := h.act(ctx, in.Account, func(accountID string) (err error) {
		secret, _, err = h.endpoints.Rotate(ctx, accountID)
		return err
	})
	out.Secret = secret
	return out, err
}

// ReadsInput is whether an account is told that messages were read.
type ReadsInput struct {
	Account string `json:"account"`
	On      bool   `json:"on"`
}

func (h *hooks) reads(ctx context.Context, in *ReadsInput) (Endpoint, error) {
	return h.act(ctx, in.Account, func(accountID string) error { return h.endpoints.SetReadReceipts(ctx, accountID, in.On) })
}

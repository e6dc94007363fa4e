package admin

import (
	"context"
	"time"

	"griot/internal/admin"
	"griot/internal/webhook"
)

// Webhook is a tenant's endpoint as operators see it.
type Webhook struct {
	TenantID string `json:"tenantId"`
	Tenant   string `json:"tenant"`
	webhook.View
}

// WebhookInput is where a tenant's events go; an empty address is nowhere.
type WebhookInput struct {
	TenantID string `json:"tenantId"`
	URL      string `json:"url"`
}

func (h *service) setWebhook(ctx context.Context, in *WebhookInput) (Webhook, error) {
	if in.URL != "" {
		if err := h.hooks.CheckURL(in.URL); err != nil {
			return Webhook{}, admin.Refuse("The address can't be used: %s.", err)
		}
	}
	return h.webhook(func(ctx context.Context, tenantID string) (string, error) { return h.hooks.Set(ctx, tenantID, in.URL) })(ctx, &OfTenant{in.TenantID})
}

// webhook does something to a tenant's endpoint, which may make a secret, and shows it then.
func (h *service) webhook(do func(ctx context.Context, tenantID string) (secret string, err error)) func(context.Context, *OfTenant) (Webhook, error) {
	return func(ctx context.Context, in *OfTenant) (Webhook, error) {
		if err := h.existing(ctx, in.TenantID); err != nil {
			return Webhook{}, err
		}
		secret, err := do(ctx, in.TenantID)
		if err != nil {
			return Webhook{}, err
		}
		s, err := h.hooks.State(ctx, in.TenantID)
		if err != nil || s == nil {
			return Webhook{}, err
		}
		out := Webhook{TenantID: s.OwnerID, Tenant: s.OwnerName, View: s.View()}
		out.Secret = secret
		return out, nil
	}
}

func (h *service) lookAtWebhook(context.Context, string) (string, error) { return "", nil }

func (h *service) enableWebhook(ctx context.Context, tenantID string) (string, error) {
	return "", h.hooks.Enable(ctx, tenantID)
}

func (h *service) disableWebhook(ctx context.Context, tenantID string) (string, error) {
	return "", h.hooks.Disable(ctx, tenantID)
}

func (h *service) rotateWebhook(ctx context.Context, tenantID string) (string, error) {
	secret, _, err := h.hooks.Rotate(ctx, tenantID)
	return secret, err
}

// Pinged is an event that tries an endpoint.
type Pinged struct {
	EventID string `json:"eventId"`
}

func (h *service) pingWebhook(ctx context.Context, in *OfTenant) (Pinged, error) {
	at, err := h.webhook(h.lookAtWebhook)(ctx, in)
	if err != nil {
		return Pinged{}, err
	}
	if at.URL == "" {
		return Pinged{}, admin.Refuse("The tenant has no endpoint.")
	}
	eventID, err := h.hooks.Ping(ctx, in.TenantID)
	return Pinged{eventID}, err
}

// SinceInput is a tenant, and since when its events are meant.
type SinceInput struct {
	TenantID string    `json:"tenantId"`
	Since    time.Time `json:"since"`
}

// Resent is how many events are delivered again.
type Resent struct {
	Resent int `json:"resent"`
}

func (h *service) resendWebhooks(ctx context.Context, in *SinceInput) (Resent, error) {
	if err := h.existing(ctx, in.TenantID); err != nil {
		return Resent{}, err
	}
	n, err := h.hooks.ResendFailed(ctx, in.TenantID, in.Since)
	return Resent{n}, err
}

package admin

import (
	"context"
	"time"

	"example.com/griot/internal/admin"
	"example.com/griot/internal/webhook"
)

// Webhook is a tenant's endpoint as operators see it.
type Webhook struct {
	TenantID string `json:"tenantId"`
	Tenant   string `json:"tenant"`
	webhook.View
}

// WebhookInput is the input of tenants.webhook.set; an empty address removes the endpoint.
type WebhookInput struct {
	TenantID string `json:"tenantId"`
	URL      string `json:"url"`
}

func (s *service) setWebhook(ctx context.Context, in *WebhookInput) (Webhook, error) {
	if in.URL != "" {
		if err := s.endpoints.CheckURL(in.URL); err != nil {
			return Webhook{}, admin.Refuse("The address can't be used: %s.", err)
		}
	}
	return s.webhook(func(ctx context.Context, tenantID string) (string, error) {
		return s.endpoints.Set(ctx, tenantID, in.URL)
	})(ctx, &OfTenant{in.TenantID})
}

// webhook returns a verb that changes a tenant's endpoint, and returns its state, with a secret that was made.
func (s *service) webhook(do func(ctx context.Context, tenantID string) (secret string, err error)) func(context.Context, *OfTenant) (Webhook, error) {
	return func(ctx context.Context, in *OfTenant) (Webhook, error) {
		if err := s.requireTenant(ctx, in.TenantID); err != nil {
			return Webhook{}, err
		}
		secret, err := do(ctx, in.TenantID)
		if err != nil {
			return Webhook{}, err
		}
		state, err := s.endpoints.State(ctx, in.TenantID)
		if err != nil || state == nil {
			return Webhook{}, err
		}
		out := Webhook{TenantID: state.OwnerID, Tenant: state.OwnerName, View: state.View()}
		out.Secret = secret
		return out, nil
	}
}

func (s *service) showWebhook(context.Context, string) (string, error) { return "", nil }

func (s *service) enableWebhook(ctx context.Context, tenantID string) (string, error) {
	return "", s.endpoints.Enable(ctx, tenantID)
}

func (s *service) disableWebhook(ctx context.Context, tenantID string) (string, error) {
	return "", s.endpoints.Disable(ctx, tenantID)
}

func (s *service) rotateWebhook(ctx context.Context, tenantID string) (string, error) {
	secret, _, err := s.endpoints.Rotate(ctx, tenantID)
	return secret, err
}

// Pinged is the result of tenants.webhook.ping.
type Pinged struct {
	EventID string `json:"eventId"`
}

func (s *service) pingWebhook(ctx context.Context, in *OfTenant) (Pinged, error) {
	at, err := s.webhook(s.showWebhook)(ctx, in)
	if err != nil {
		return Pinged{}, err
	}
	if at.URL == "" {
		return Pinged{}, admin.Refuse("The tenant has no endpoint.")
	}
	eventID, err := s.endpoints.Ping(ctx, in.TenantID)
	return Pinged{eventID}, err
}

// SinceInput is the input of tenants.webhook.resend-failed.
type SinceInput struct {
	TenantID string    `json:"tenantId"`
	Since    time.Time `json:"since"`
}

// Resent is the result of tenants.webhook.resend-failed.
type Resent struct {
	Resent int `json:"resent"`
}

func (s *service) resendWebhooks(ctx context.Context, in *SinceInput) (Resent, error) {
	if err := s.requireTenant(ctx, in.TenantID); err != nil {
		return Resent{}, err
	}
	n, err := s.endpoints.ResendFailed(ctx, in.TenantID, in.Since)
	return Resent{n}, err
}

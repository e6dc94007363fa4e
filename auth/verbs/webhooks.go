package verbs

import (
	"context"
	"time"

	"example.com/griot/internal/verb"
	"example.com/griot/internal/visible"
	"example.com/griot/internal/webhook"
)

// Webhook is a tenant's endpoint as the operator sees it.
type Webhook struct {
	TenantID string `json:"tenantId" row:"tenant"`
	Tenant   string `json:"tenant" row:"name"`
	webhook.View
}

// WebhookInput is the input of tenants.webhook.set; an empty address removes the endpoint.
type WebhookInput struct {
	OfTenant

	URL string `json:"url" form:"optional" flag:"url,required" help:"https URL (empty: none)"`
}

func (s *service) setWebhook(ctx context.Context, in *WebhookInput) (Webhook, error) {
	in.URL = visible.Trim(in.URL)
	if in.URL != "" {
		if err := s.endpoints.CheckURL(in.URL); err != nil {
			return Webhook{}, verb.Refuse("The URL can't be used: %s.", err)
		}
	}
	secret, err := s.endpoints.Set(ctx, in.TenantID, in.URL)
	return s.changedWebhook(ctx, in.TenantID, secret, err)
}

// changedWebhook returns a tenant's endpoint after a change, with the secret if the change created one. It returns err
// if the change failed.
func (s *service) changedWebhook(ctx context.Context, tenantID, secret string, err error) (Webhook, error) {
	if err != nil {
		return Webhook{}, err
	}
	state, err := s.endpoints.State(ctx, tenantID)
	if err != nil || state == nil {
		return Webhook{}, err
	}
	out := Webhook{TenantID: state.OwnerID, Tenant: state.OwnerName, View: state.View()}
	out.Secret = secret
	return out, nil
}

func (s *service) showWebhook(ctx context.Context, in *OfTenant) (Webhook, error) {
	return s.changedWebhook(ctx, in.TenantID, "", nil)
}

func (s *service) enableWebhook(ctx context.Context, in *OfTenant) (Webhook, error) {
	return s.changedWebhook(ctx, in.TenantID, "", s.endpoints.Enable(ctx, in.TenantID))
}

func (s *service) disableWebhook(ctx context.Context, in *OfTenant) (Webhook, error) {
	return s.changedWebhook(ctx, in.TenantID, "", s.endpoints.Disable(ctx, in.TenantID))
}

func (s *service) rotateWebhook(ctx context.Context, in *OfTenant) (Webhook, error) {
	secret, _, err := s.endpoints.Rotate(ctx, in.TenantID)
	return s.changedWebhook(ctx, in.TenantID, secret, err)
}

// Pinged is the result of tenants.webhook.ping.
type Pinged struct {
	EventID string `json:"eventId" row:"event"`
}

func (s *service) pingWebhook(ctx context.Context, in *OfTenant) (Pinged, error) {
	at, err := s.showWebhook(ctx, in)
	if err != nil {
		return Pinged{}, err
	}
	if at.URL == "" {
		return Pinged{}, verb.Refuse("The tenant has no endpoint.")
	}
	eventID, err := s.endpoints.Ping(ctx, in.TenantID)
	return Pinged{eventID}, err
}

// SinceInput is the input of tenants.webhook.resend-failed.
type SinceInput struct {
	OfTenant

	Since time.Time `json:"since" flag:"since,required" help:"resend events that happened at or after this time"`
}

// Resent is the result of tenants.webhook.resend-failed.
type Resent struct {
	Resent int `json:"resent" row:"resent"`
}

func (s *service) resendWebhooks(ctx context.Context, in *SinceInput) (Resent, error) {
	n, err := s.endpoints.ResendFailed(ctx, in.TenantID, in.Since)
	return Resent{n}, err
}

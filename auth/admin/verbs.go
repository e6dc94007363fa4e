package admin

import (
	"context"

	"griot/auth/events"
	"griot/auth/tenant"
	"griot/auth/token"
	"griot/internal/admin"
)

// Verbs returns the table of the auth service.
func Verbs(tenants *tenant.Store, signer *token.Signer, hooks *events.Endpoints) admin.Verbs {
	h := &service{tenants: tenants, signer: signer, hooks: hooks}
	return admin.Verbs{
		"tenants.create": admin.Do(h.createTenant),
		"tenants.list":   admin.Do(h.listTenants),

		"tenants.webhook.set":           admin.Do(h.setWebhook),
		"tenants.webhook.show":          admin.Do(h.webhook(h.lookAtWebhook)),
		"tenants.webhook.enable":        admin.Do(h.webhook(h.enableWebhook)),
		"tenants.webhook.disable":       admin.Do(h.webhook(h.disableWebhook)),
		"tenants.webhook.rotate-secret": admin.Do(h.webhook(h.rotateWebhook)),
		"tenants.webhook.ping":          admin.Do(h.pingWebhook),
		"tenants.webhook.resend-failed": admin.Do(h.resendWebhooks),

		"clients.create":     admin.Do(h.createClient),
		"clients.list":       admin.Do(h.listClients),
		"clients.activate":   admin.Do(h.switchClient(true)),
		"clients.deactivate": admin.Do(h.switchClient(false)),
		"clients.rotate":     admin.Do(h.rotateClient),

		"invitations.create": admin.Do(h.createInvitation),
		"invitations.list":   admin.Do(h.listInvitations),
		"invitations.revoke": admin.Do(h.revokeInvitation),

		"events.list": admin.Do(h.listEvents),

		"keys.list":   admin.Do(h.listKeys),
		"keys.rotate": admin.Do(h.rotateKeys),
	}
}

type service struct {
	tenants *tenant.Store
	signer  *token.Signer
	hooks   *events.Endpoints
}

// OfTenant names a tenant.
type OfTenant struct {
	TenantID string `json:"tenantId"`
}

// ByID names one thing.
type ByID struct {
	ID string `json:"id"`
}

// Nothing is the input of a verb that needs none.
type Nothing struct{}

// existing refuses ids that are no tenant's.
func (h *service) existing(ctx context.Context, tenantID string) error {
	_, found, err := h.tenants.Tenant(ctx, tenantID)
	if err == nil && !found {
		err = admin.Refuse("There is no such tenant.")
	}
	return err
}

// each shows every one of a list, which is never null in JSON.
func each[From, To any](list []From, show func(*From) To) []To {
	out := make([]To, 0, len(list))
	for i := range list {
		out = append(out, show(&list[i]))
	}
	return out
}

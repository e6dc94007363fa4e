package admin

import (
	"context"

	"example.com/griot/auth/events"
	"example.com/griot/auth/login"
	"example.com/griot/auth/tenant"
	"example.com/griot/auth/token"
	"example.com/griot/internal/admin"
)

// Verbs returns the table of the auth service.
func Verbs(tenants *tenant.Store, logins *login.Service, signer *token.Signer, endpoints *events.Endpoints) admin.Verbs {
	s := &service{tenants: tenants, logins: logins, signer: signer, endpoints: endpoints}
	return admin.Verbs{
		"tenants.create": admin.Do(s.createTenant),
		"tenants.list":   admin.Do(s.listTenants),
		"tenants.find":   admin.Do(s.findTenants),
		"tenants.show":   admin.Do(s.showTenant),
		"tenants.rename": admin.Do(s.renameTenant),
		"tenants.delete": admin.Do(s.deleteTenant),

		"tenants.webhook.set":           admin.Do(s.setWebhook),
		"tenants.webhook.show":          admin.Do(s.webhook(s.showWebhook)),
		"tenants.webhook.enable":        admin.Do(s.webhook(s.enableWebhook)),
		"tenants.webhook.disable":       admin.Do(s.webhook(s.disableWebhook)),
		"tenants.webhook.rotate-secret": admin.Do(s.webhook(s.rotateWebhook)),
		"tenants.webhook.ping":          admin.Do(s.pingWebhook),
		"tenants.webhook.resend-failed": admin.Do(s.resendWebhooks),

		"clients.create":     admin.Do(s.createClient),
		"clients.list":       admin.Do(s.listClients),
		"clients.set":        admin.Do(s.setClient),
		"clients.activate":   admin.Do(s.switchClient(true)),
		"clients.deactivate": admin.Do(s.switchClient(false)),
		"clients.rotate":     admin.Do(s.rotateClient),
		"clients.rename":     admin.Do(s.renameClient),
		"clients.delete":     admin.Do(s.deleteClient),

		"invitations.create": admin.Do(s.createInvitation),
		"invitations.list":   admin.Do(s.listInvitations),
		"invitations.revoke": admin.Do(s.revokeInvitation),

		"people.detach": admin.Do(s.detachPerson),
		"people.export": admin.Do(s.exportPerson),
		"people.erase":  admin.Do(s.erasePerson),

		"events.list": admin.Do(s.listEvents),

		"keys.list":   admin.Do(s.listKeys),
		"keys.rotate": admin.Do(s.rotateKeys),
	}
}

type service struct {
	tenants   *tenant.Store
	logins    *login.Service
	signer    *token.Signer
	endpoints *events.Endpoints
}

// OfTenant names a tenant.
type OfTenant struct {
	TenantID string `json:"tenantId"`
}

// ByID names one thing.
type ByID struct {
	ID string `json:"id"`
}

// Nothing is the input of a verb without parameters.
type Nothing struct{}

// requireTenant returns a refusal when there is no such tenant.
func (s *service) requireTenant(ctx context.Context, tenantID string) error {
	_, found, err := s.tenants.Tenant(ctx, tenantID)
	if err == nil && !found {
		err = noTenant()
	}
	return err
}

func noTenant() error { return admin.Refuse("There is no such tenant.") }

// convert converts a list. The result is never null in JSON.
func convert[From, To any](list []From, show func(*From) To) []To {
	out := make([]To, 0, len(list))
	for i := range list {
		out = append(out, show(&list[i]))
	}
	return out
}

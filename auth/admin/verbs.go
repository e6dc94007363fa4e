package admin

import (
	"context"

	"example.com/griot/auth/events"
	"example.com/griot/auth/login"
	"example.com/griot/auth/logout"
	"example.com/griot/auth/tenant"
	"example.com/griot/auth/token"
	"example.com/griot/internal/admin"
)

// Verbs returns the table of the auth service.
func Verbs(tenants *tenant.Store, logins *login.Service, signer *token.Signer, endpoints *events.Endpoints, clients *logout.Clients) admin.Verbs {
	return admin.Bind(&service{tenants: tenants, logins: logins, signer: signer, endpoints: endpoints, clients: clients}, Table(), nil)
}

// Table returns the verbs of the auth service in the order of their commands. They have no service yet.
func Table() admin.Verbs {
	return admin.Verbs{
		admin.Define("tenants.create", "Make a tenant", admin.Changes, (*service).createTenant),
		admin.Define("tenants.list", "List the tenants", admin.Reads, (*service).listTenants),
		admin.Define("tenants.find", "Find tenants, the newest first", admin.Reads, (*service).findTenants).As(""),
		admin.Define("tenants.show", "Show a tenant", admin.Reads, (*service).showTenant).As(""),
		admin.Define("tenants.rename", "Give a tenant another name: logins that have started keep the one they show", admin.Changes, (*service).renameTenant),
		admin.Define("tenants.delete", "Delete a tenant with its clients, people, logins, events, and invitations", admin.Deletes, (*service).deleteTenant),

		admin.Define("tenants.webhook.set", "Set where a tenant's events go; a new secret is printed once", admin.Changes, ofTenant((*service).setWebhook)),
		admin.Define("tenants.webhook.show", "Show the state of a tenant's endpoint", admin.Reads, ofTenant((*service).showWebhook)),
		admin.Define("tenants.webhook.enable", "Let events go out again; those that wait go first", admin.Changes, ofTenant((*service).enableWebhook)),
		admin.Define("tenants.webhook.disable", "Let events wait", admin.Changes, ofTenant((*service).disableWebhook)),
		admin.Define("tenants.webhook.rotate-secret", "Replace the signing secret, printed once; the one before goes on signing for 24 hours", admin.Changes, ofTenant((*service).rotateWebhook)),
		admin.Define("tenants.webhook.ping", "Test an endpoint with an event that reports nothing", admin.Changes, ofTenant((*service).pingWebhook)),
		admin.Define("tenants.webhook.resend-failed", "Deliver again what was given up", admin.Changes, ofTenant((*service).resendWebhooks)),

		admin.Define("clients.create", "Make a client; a CONFIDENTIAL one's secret is printed once", admin.Changes, ofTenant((*service).createClient)),
		admin.Define("clients.list", "List a tenant's clients", admin.Reads, ofTenant((*service).listClients)),
		admin.Define("clients.set", "Replace a client's redirect addresses: those that are not given are gone", admin.Changes, (*service).setClient),
		admin.Define("clients.connect", "Replace a client's settings for the sign-out of OpenID Connect: what is not given is gone", admin.Changes, (*service).connectClient),
		admin.Define("clients.rename", "Give a client a name, which its tenant's dashboard shows; an empty one is none", admin.Changes, (*service).renameClient),
		admin.Define("clients.delete", "Delete a client: its logins can't be finished, and its tokens are not introspected any more", admin.Deletes, (*service).deleteClient),
		admin.Define("clients.activate", "Switch a client on", admin.Changes, (*service).activateClient),
		admin.Define("clients.deactivate", "Switch a client off: its logins and exchanges are refused", admin.Changes, (*service).deactivateClient),
		admin.Define("clients.rotate", "Replace a CONFIDENTIAL client's secret; the new one is printed once, the old one is dead at once", admin.Changes, (*service).rotateClient),

		admin.Define("invitations.create", "Make a key, which is printed once", admin.Changes, ofTenant((*service).createInvitation)),
		admin.Define("invitations.list", "List a tenant's invitations, without their keys", admin.Reads, ofTenant((*service).listInvitations)),
		admin.Define("invitations.revoke", "End an invitation, and the dashboard sessions that it opened", admin.Changes, (*service).revokeInvitation),

		admin.Define("people.detach", "Detach a person from their number, which somebody else has now", admin.Changes, ofTenant((*service).detachPerson)),
		admin.Define("people.export", "Return what tenants have about a person", admin.Reads, (*service).exportPerson).As(""),
		admin.Define("people.erase", "Erase what tenants have about a person", admin.Deletes, (*service).erasePerson).As(""),

		admin.Define("keys.list", "List the signing keys", admin.Reads, (*service).listKeys),
		admin.Define("keys.rotate", "Publish the next signing key, which signs once every cache can have it", admin.Changes, (*service).rotateKeys),
		admin.Define("events.list", "Show the latest audit events, newest first", admin.Reads, (*service).listEvents).As("events"),
	}
}

type service struct {
	tenants   *tenant.Store
	logins    *login.Service
	signer    *token.Signer
	endpoints *events.Endpoints
	clients   *logout.Clients
}

// OfTenant names a tenant.
type OfTenant struct {
	TenantID string `json:"tenantId" flag:"tenant,required" help:"a tenant's id"`
}

func (o OfTenant) tenant() string { return o.TenantID }

// ofTenant returns the method of a verb about a tenant. It refuses an unknown tenant.
func ofTenant[In interface{ tenant() string }, Out any](do func(*service, context.Context, *In) (Out, error)) func(*service, context.Context, *In) (Out, error) {
	return func(s *service, ctx context.Context, in *In) (none Out, err error) {
		if err := s.requireTenant(ctx, (*in).tenant()); err != nil {
			return none, err
		}
		return do(s, ctx, in)
	}
}

// ByID names an object.
type ByID struct {
	ID string `json:"id" arg:"INVITATION" help:"an id, as list shows it"`
}

// Nothing is the input of a verb without parameters.
type Nothing struct{}

// requireTenant returns a refusal if the tenant doesn't exist.
func (s *service) requireTenant(ctx context.Context, tenantID string) error {
	_, found, err := s.tenants.Tenant(ctx, tenantID)
	if err == nil && !found {
		err = noTenant()
	}
	return err
}

func noTenant() error { return admin.Refuse("There is no such tenant.") }

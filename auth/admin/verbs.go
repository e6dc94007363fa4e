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
		admin.Define("tenants.create", "Create a tenant", admin.Changes, (*service).createTenant),
		admin.Define("tenants.list", "List the tenants", admin.Reads, (*service).listTenants),
		admin.Define("tenants.find", "Find tenants, newest first", admin.Reads, (*service).findTenants).As(""),
		admin.Define("tenants.show", "Show a tenant", admin.Reads, (*service).showTenant).As(""),
		admin.Define("tenants.rename", "Rename a tenant", admin.Changes, (*service).renameTenant).Explained("Rename a tenant. Logins that have started keep the old name."),
		admin.Define("tenants.delete", "Delete a tenant and all its data", admin.Deletes, (*service).deleteTenant).Explained("Delete a tenant with its clients, people, logins, events, and invitations."),

		admin.Define("tenants.webhook.set", "Set the URL for a tenant's events", admin.Changes, ofTenant((*service).setWebhook)).Explained("Set the URL for a tenant's login events. An empty URL removes it. If the tenant has no signing secret, Griot creates one and prints it once."),
		admin.Define("tenants.webhook.show", "Show the state of a tenant's endpoint", admin.Reads, ofTenant((*service).showWebhook)),
		admin.Define("tenants.webhook.enable", "Enable a tenant's endpoint", admin.Changes, ofTenant((*service).enableWebhook)).Explained("Enable a tenant's endpoint. Waiting events are delivered first."),
		admin.Define("tenants.webhook.disable", "Disable a tenant's endpoint", admin.Changes, ofTenant((*service).disableWebhook)).Explained("Disable a tenant's endpoint. Its events wait until it is enabled again."),
		admin.Define("tenants.webhook.rotate-secret", "Replace a tenant's signing secret", admin.Changes, ofTenant((*service).rotateWebhook)).Explained("Replace a tenant's signing secret, and print the new secret once. The previous secret also signs for 24 hours."),
		admin.Define("tenants.webhook.ping", "Send a test event to a tenant's endpoint", admin.Changes, ofTenant((*service).pingWebhook)),
		admin.Define("tenants.webhook.resend-failed", "Deliver a tenant's failed events again", admin.Changes, ofTenant((*service).resendWebhooks)),

		admin.Define("tenants.domains.add", "Add a domain for email addresses", admin.Changes, ofTenant((*service).addDomain)).Explained("Add a domain for the email addresses of a tenant's people, and print the TXT record that proves it."),
		admin.Define("tenants.domains.list", "List a tenant's domains", admin.Reads, ofTenant((*service).listDomains)).Explained("List a tenant's domains with the TXT records that prove them."),
		admin.Define("tenants.domains.verify", "Look up the TXT record of a domain", admin.Changes, ofTenant((*service).verifyDomain)).Explained("Look up the TXT record of a tenant's domain, and store the proof. If another tenant has proven the domain and its record is gone, the new proof replaces it."),
		admin.Define("tenants.domains.remove", "Remove a tenant's domain", admin.Changes, ofTenant((*service).removeDomain)).Explained("Remove a tenant's domain. Programs of the tenant then get email_verified false with it, and another tenant can prove it."),

		admin.Define("clients.create", "Create a client", admin.Changes, ofTenant((*service).createClient)).Explained("Create a client. The secret of a CONFIDENTIAL client is printed once."),
		admin.Define("clients.list", "List a tenant's clients", admin.Reads, ofTenant((*service).listClients)),
		admin.Define("clients.set", "Replace a client's redirect addresses", admin.Changes, (*service).setClient).Explained("Replace a client's redirect addresses. Omitted addresses are removed."),
		admin.Define("clients.connect", "Replace a client's OpenID Connect settings", admin.Changes, (*service).connectClient).Explained("Replace a client's settings for OpenID Connect and native applications. Omitted settings are removed."),
		admin.Define("clients.rename", "Rename a client", admin.Changes, (*service).renameClient).Explained("Change the name of a client on its tenant's dashboard. An empty name removes it."),
		admin.Define("clients.delete", "Delete a client", admin.Deletes, (*service).deleteClient).Explained("Delete a client. Its logins in progress end, and its tokens can't be introspected anymore."),
		admin.Define("clients.activate", "Enable a client", admin.Changes, (*service).activateClient),
		admin.Define("clients.deactivate", "Disable a client", admin.Changes, (*service).deactivateClient).Explained("Disable a client. It can't start logins or redeem codes until it is enabled again."),
		admin.Define("clients.rotate", "Replace a CONFIDENTIAL client's secret", admin.Changes, (*service).rotateClient).Explained("Replace a CONFIDENTIAL client's secret, and print the new secret once. The old secret stops working immediately."),

		admin.Define("invitations.create", "Create a key to a tenant's dashboard", admin.Changes, ofTenant((*service).createInvitation)).Explained("Create a key to a tenant's dashboard, and print it once."),
		admin.Define("invitations.list", "List a tenant's invitations", admin.Reads, ofTenant((*service).listInvitations)).Explained("List a tenant's invitations, without their keys."),
		admin.Define("invitations.revoke", "Revoke an invitation and end its dashboard sessions", admin.Changes, (*service).revokeInvitation),

		admin.Define("people.detach", "Detach a person from a number", admin.Changes, ofTenant((*service).detachPerson)).Explained("Detach a person from a number that someone else has now. Their logins in progress end, and the number's next login has another subject. You can't undo this."),
		admin.Define("people.move", "Move a person to their new number", admin.Changes, ofTenant((*service).movePerson)).Explained("Move a person to the new number that WhatsApp has reported. Their logins in progress end, and they keep their subject with the new number. The old number's next login has another subject. You can't undo this."),
		admin.Define("people.export", "Export the data that tenants store about a person", admin.Reads, (*service).exportPerson).As(""),
		admin.Define("people.erase", "Erase the data that tenants store about a person", admin.Deletes, (*service).erasePerson).As(""),
		admin.Define("people.ids.list", "List WhatsApp IDs with their phone numbers", admin.Reads, (*service).listWhatsAppIDs).Explained("List the WhatsApp IDs that gateways have reported with a phone number. An ID with several numbers identifies no one, until you withdraw the wrong ones."),
		admin.Define("people.ids.withdraw", "Withdraw a WhatsApp ID from a phone number", admin.Changes, (*service).withdrawWhatsAppID).Explained("Withdraw a WhatsApp ID from a phone number. Messages with the ID alone no longer count as messages of the number, until a message has both again."),

		admin.Define("keys.list", "List the signing keys", admin.Reads, (*service).listKeys),
		admin.Define("keys.rotate", "Publish the next signing key", admin.Changes, (*service).rotateKeys).Explained("Publish the next signing key. It starts to sign when every cache must contain it. With --emergency, a new key signs immediately, and tokens that were signed before are no longer valid."),
		admin.Define("events.list", "Show the latest audit events of the login service", admin.Reads, (*service).listEvents).As("events").Explained("Show the latest audit events of the login service, newest first."),
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
	TenantID string `json:"tenantId" flag:"tenant,required" help:"tenant ID"`
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
	ID string `json:"id" arg:"INVITATION" help:"invitation ID from griot admin invitations list"`
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

func noTenant() error { return admin.Refuse("The tenant doesn't exist.") }

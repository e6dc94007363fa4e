package verbs

import (
	"context"

	"example.com/griot/auth/login"
	"example.com/griot/auth/logout"
	"example.com/griot/auth/tenant"
	"example.com/griot/auth/token"
	"example.com/griot/auth/webhooks"
	"example.com/griot/internal/verb"
)

// Verbs returns the table of the auth service.
func Verbs(tenants *tenant.Store, logins *login.Service, signer *token.Signer, endpoints *webhooks.Endpoints, clients *logout.Clients) verb.Verbs {
	return verb.Bind(&service{tenants: tenants, logins: logins, signer: signer, endpoints: endpoints, clients: clients}, Table(), inWordsOfOperators)
}

// Table returns the verbs of the auth service in the order of their commands. They have no service yet.
func Table() verb.Verbs {
	return verb.Verbs{
		verb.Define("tenants.create", "Create a tenant", verb.Changes, (*service).createTenant),
		verb.Define("tenants.list", "List the tenants", verb.Reads, (*service).listTenants),
		verb.Define("tenants.find", "Find tenants, newest first", verb.Reads, (*service).findTenants).As(""),
		verb.Define("tenants.show", "Show a tenant", verb.Reads, (*service).showTenant).As(""),
		verb.Define("tenants.rename", "Rename a tenant", verb.Changes, (*service).renameTenant).Explained("Rename a tenant. Logins that have started keep the old name."),
		verb.Define("tenants.delete", "Delete a tenant and all its data", verb.Deletes, (*service).deleteTenant).Explained("Delete a tenant with its clients, people, logins, events, and invitations."),

		verb.Define("tenants.webhook.set", "Set the URL for a tenant's events", verb.Changes, ofTenant((*service).setWebhook)).Explained("Set the URL for a tenant's login events. An empty URL removes it. If the tenant has no signing secret, Griot creates one and prints it once."),
		verb.Define("tenants.webhook.show", "Show the state of a tenant's endpoint", verb.Reads, ofTenant((*service).showWebhook)),
		verb.Define("tenants.webhook.enable", "Enable a tenant's endpoint", verb.Changes, ofTenant((*service).enableWebhook)).Explained("Enable a tenant's endpoint. Waiting events are delivered first."),
		verb.Define("tenants.webhook.disable", "Disable a tenant's endpoint", verb.Changes, ofTenant((*service).disableWebhook)).Explained("Disable a tenant's endpoint. Its events wait until it is enabled again."),
		verb.Define("tenants.webhook.rotate-secret", "Replace a tenant's signing secret", verb.Changes, ofTenant((*service).rotateWebhook)).Explained("Replace a tenant's signing secret, and print the new secret once. The previous secret also signs for 24 hours."),
		verb.Define("tenants.webhook.ping", "Send a test event to a tenant's endpoint", verb.Changes, ofTenant((*service).pingWebhook)),
		verb.Define("tenants.webhook.resend-failed", "Deliver a tenant's failed events again", verb.Changes, ofTenant((*service).resendWebhooks)),

		verb.Define("tenants.domains.add", "Add a domain for email addresses", verb.Changes, ofTenant((*service).addDomain)).Explained("Add a domain for the email addresses of a tenant's people, and print the TXT record that proves it."),
		verb.Define("tenants.domains.list", "List a tenant's domains", verb.Reads, ofTenant((*service).listDomains)).Explained("List a tenant's domains with the TXT records that prove them."),
		verb.Define("tenants.domains.verify", "Look up the TXT record of a domain", verb.Changes, ofTenant((*service).verifyDomain)).Explained("Look up the TXT record of a tenant's domain, and store the proof. If another tenant has proven the domain and its record is gone, the new proof replaces it."),
		verb.Define("tenants.domains.remove", "Remove a tenant's domain", verb.Changes, ofTenant((*service).removeDomain)).Explained("Remove a tenant's domain. Programs of the tenant then get email_verified false with it, and another tenant can prove it."),

		verb.Define("clients.create", "Create a client", verb.Changes, ofTenant((*service).createClient)).Explained("Create a client. The secret of a CONFIDENTIAL client is printed once."),
		verb.Define("clients.list", "List a tenant's clients", verb.Reads, ofTenant((*service).listClients)),
		verb.Define("clients.set", "Replace a client's redirect addresses", verb.Changes, (*service).setClient).Explained("Replace a client's redirect addresses. Omitted addresses are removed."),
		verb.Define("clients.connect", "Replace a client's OpenID Connect settings", verb.Changes, (*service).connectClient).Explained("Replace a client's settings for OpenID Connect and native applications. Omitted settings are removed."),
		verb.Define("clients.rename", "Rename a client", verb.Changes, (*service).renameClient).Explained("Change the name of a client on its tenant's dashboard. An empty name removes it."),
		verb.Define("clients.delete", "Delete a client", verb.Deletes, (*service).deleteClient).Explained("Delete a client. Its logins in progress end, and its tokens can't be introspected anymore."),
		verb.Define("clients.activate", "Enable a client", verb.Changes, (*service).activateClient),
		verb.Define("clients.deactivate", "Disable a client", verb.Changes, (*service).deactivateClient).Explained("Disable a client. It can't start logins or redeem codes until it is enabled again."),
		verb.Define("clients.rotate", "Replace a CONFIDENTIAL client's secret", verb.Changes, (*service).rotateClient).Explained("Replace a CONFIDENTIAL client's secret, and print the new secret once. The old secret stops working immediately."),

		verb.Define("invitations.create", "Create a key to a tenant's dashboard", verb.Changes, ofTenant((*service).createInvitation)).Explained("Create a key to a tenant's dashboard, and print it once."),
		verb.Define("invitations.list", "List a tenant's invitations", verb.Reads, ofTenant((*service).listInvitations)).Explained("List a tenant's invitations, without their keys."),
		verb.Define("invitations.revoke", "Revoke an invitation and end its dashboard sessions", verb.Changes, (*service).revokeInvitation),

		verb.Define("people.detach", "Detach a person from a number", verb.Changes, ofTenant((*service).detachPerson)).Explained("Detach a person from a number that someone else has now. Their logins in progress end, and the number's next login has another subject. You can't undo this."),
		verb.Define("people.move", "Move a person to their new number", verb.Changes, ofTenant((*service).movePerson)).Explained("Move a person to the new number that WhatsApp has reported. Their logins in progress end, and they keep their subject with the new number. The old number's next login has another subject. You can't undo this."),
		verb.Define("people.export", "Export the data that tenants store about a person", verb.Reads, (*service).exportPerson).As(""),
		verb.Define("people.erase", "Erase the data that tenants store about a person", verb.Deletes, (*service).erasePerson).As(""),
		verb.Define("people.ids.list", "List WhatsApp IDs with their phone numbers", verb.Reads, (*service).listWhatsAppIDs).Explained("List the WhatsApp IDs that gateways have reported with a phone number. An ID with several numbers identifies no one, until you withdraw the wrong ones."),
		verb.Define("people.ids.withdraw", "Withdraw a WhatsApp ID from a phone number", verb.Changes, (*service).withdrawWhatsAppID).Explained("Withdraw a WhatsApp ID from a phone number. Messages with the ID alone no longer count as messages of the number, until a message has both again."),

		verb.Define("keys.list", "List the signing keys", verb.Reads, (*service).listKeys),
		verb.Define("keys.rotate", "Publish the next signing key", verb.Changes, (*service).rotateKeys).Explained("Publish the next signing key. It starts to sign when every cache must contain it. With --emergency, a new key signs immediately, and tokens that were signed before are no longer valid."),
		verb.Define("events.list", "Show the latest audit events of the login service", verb.Reads, (*service).listEvents).As("events").Explained("Show the latest audit events of the login service, newest first."),
	}
}

type service struct {
	tenants   *tenant.Store
	logins    *login.Service
	signer    *token.Signer
	endpoints *webhooks.Endpoints
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

func noTenant() error { return verb.Refuse("The tenant doesn't exist.") }

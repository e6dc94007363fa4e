package tenant

import (
	"context"
	"net/netip"
	"time"

	"example.com/griot/internal/actor"
	"example.com/griot/internal/phone"
)

// Types of audit events.
const (
	LoginStarted         = "login.started"
	LoginActivated       = "login.activated"
	LoginVerified        = "login.verified"
	LoginDuplicate       = "login.duplicate"
	LoginHeld            = "login.held" // WhatsApp hides the number of the person who sent its words
	LoginConflict        = "login.conflict"
	LoginCanceled        = "login.canceled"
	LoginOtherPerson     = "login.other_person"     // someone other than the person that its client asked for sent its words, which ended it
	LoginNumberRequested = "login.number_requested" // the person was asked for the number; denied if WhatsApp refused the request
	LoginRefused         = "login.refused"          // its client was disabled during the login, or no longer has the redirect address
	TokenIssued          = "token.issued"
	TokenDenied          = "token.denied"
	TokenRevoked         = "token.revoked"
	CodeReplayed         = "code.replayed"
	KeyPublished         = "key.published" // events of keys have no tenant, so no overview shows them
	KeyRotated           = "key.rotated"
	KeyRevoked           = "key.revoked" // in an emergency

	GatewayRefused = "gateway.refused"       // no tenant; the gateway delivered a report that belongs to another gateway
	IDConflict     = "whatsapp_id.conflict"  // no tenant; a WhatsApp ID was reported with a second number
	IDWithdrawn    = "whatsapp_id.withdrawn" // no tenant; the operator has withdrawn a WhatsApp ID from the number

	TenantCreated     = "tenant.created" // these four are by the operator
	TenantDeleted     = "tenant.deleted" // the only remaining record of it
	InvitationCreated = "invitation.created"
	InvitationRevoked = "invitation.revoked"

	PersonErased      = "person.erased"
	PersonExported    = "person.exported"
	PersonDetached    = "person.detached"       // from a number that now belongs to someone else
	PersonMoved       = "person.moved"          // to the number that WhatsApp has reported
	NumberChanged     = "person.number_changed" // WhatsApp has reported that the person has another number
	AppearanceUpdated = "appearance.updated"    // the name, the color, or the logo of the waiting page

	DomainAdded    = "domain.added"
	DomainVerified = "domain.verified" // the tenant has proven the domain
	DomainRemoved  = "domain.removed"
	DomainLost     = "domain.lost" // another tenant has proven the domain, and this tenant's record is gone

	WebhookSet           = "webhook.set"
	WebhookRemoved       = "webhook.removed"
	WebhookEnabled       = "webhook.enabled"
	WebhookDisabled      = "webhook.disabled" // the error code is the reason: gone, failing, operator
	WebhookSecretRotated = "webhook.secret_rotated"
	WebhookPinged        = "webhook.pinged"
	WebhookResent        = "webhook.resent" // one event, or all failed ones
)

// Actors of audit events.
const (
	ActorUser   = "user"
	ActorClient = "client"
	ActorTenant = "tenant" // a user of its dashboard
	ActorSystem = "system" // the service or its operator

	ActorGateway = "gateway:" // followed by its name
)

// Caller is the source of a request, for its events.
type Caller struct {
	IP        netip.Addr
	RequestID string // ID26; empty for a message from a gateway
}

// CallerOf returns the source of the request in a context.
func CallerOf(ctx context.Context) Caller {
	a := actor.From(ctx)
	return Caller{a.Address, a.RequestID}
}

// Event is an audit event. The caller sets ID and At outside of the transaction. An empty ErrorCode means success.
type Event struct {
	ID           string // ID26 in chronological order
	TenantID     string
	Type         string
	At           time.Time
	Actor        string
	ClientID     string
	LoginID      string
	Mode         Mode
	ErrorCode    string
	Phone        phone.Number // stored as +223*****001
	NumberSource string       // why the number was known although WhatsApp hides it: paired or shared; empty for others
	Person       phone.Number // the subject of the event, if not Phone; only the id of their profile is stored
	Caller       Caller       // the address is stored as its /24 or /48
}

func (e *Event) result() string {
	if e.ErrorCode != "" {
		return "denied"
	}
	return resultOK
}

const resultOK = "ok"

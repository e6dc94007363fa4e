package tenant

import (
	"net/netip"
	"time"

	"example.com/griot/internal/phone"
)

// Types of audit events.
const (
	LoginStarted     = "login.started"
	LoginActivated   = "login.activated"
	LoginVerified    = "login.verified"
	LoginDuplicate   = "login.duplicate"
	LoginConflict    = "login.conflict"
	LoginCanceled    = "login.canceled"
	LoginOtherPerson = "login.other_person" // somebody else than the person whom its client asked for sent its words, which ended it
	LoginRefused     = "login.refused"      // its client was switched off meanwhile, or no longer has the redirect address
	TokenIssued      = "token.issued"
	TokenDenied      = "token.denied"
	TokenRevoked     = "token.revoked"
	CodeReplayed     = "code.replayed"
	KeyPublished     = "key.published" // events of keys have no tenant, so no overview shows them
	KeyRotated       = "key.rotated"
	KeyRevoked       = "key.revoked" // in an emergency

	GatewayRefused = "gateway.refused" // no tenant; the gateway delivered what belongs to another

	TenantCreated     = "tenant.created" // these four by the operator
	TenantDeleted     = "tenant.deleted" // all that stays of it
	InvitationCreated = "invitation.created"
	InvitationRevoked = "invitation.revoked"

	PersonErased      = "person.erased"
	PersonExported    = "person.exported"
	PersonDetached    = "person.detached"    // from a number that somebody else has now
	AppearanceUpdated = "appearance.updated" // the name, the color, or the logo of the waiting page

	WebhookSet           = "webhook.set"
	WebhookRemoved       = "webhook.removed"
	WebhookEnabled       = "webhook.enabled"
	WebhookDisabled      = "webhook.disabled" // the error code says why: gone, failing, operator
	WebhookSecretRotated = "webhook.secret_rotated"
	WebhookPinged        = "webhook.pinged"
	WebhookResent        = "webhook.resent" // one event, or those that have failed
)

// Actors of audit events.
const (
	ActorUser   = "user"
	ActorClient = "client"
	ActorTenant = "tenant" // a user of its dashboard
	ActorSystem = "system" // the service or its operator

	ActorGateway = "gateway:" // followed by its name
)

// Caller is who a request came from, for the events that it causes.
type Caller struct {
	IP        netip.Addr
	RequestID string // ID26; empty for a message from a gateway
}

// Event is an audit event. ID and At are made by the caller, outside of the
// transaction; an empty ErrorCode means success.
type Event struct {
	ID        string // ID26 in the order of time
	TenantID  string
	Type      string
	At        time.Time
	Actor     string
	ClientID  string
	LoginID   string
	Mode      Mode
	ErrorCode string
	Phone     phone.Number // stored as +223*****001
	Person    phone.Number // whom the event is about, if not Phone; only the id of their profile is stored
	Caller    Caller       // the address is stored as its /24 or /48
}

func (e *Event) result() string {
	if e.ErrorCode != "" {
		return "denied"
	}
	return resultOK
}

const resultOK = "ok"

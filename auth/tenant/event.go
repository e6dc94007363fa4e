package tenant

import (
	"net/netip"
	"time"

	"griot/internal/phone"
)

// Types of audit events.
const (
	LoginStarted   = "login.started"
	LoginActivated = "login.activated"
	LoginVerified  = "login.verified"
	LoginDuplicate = "login.duplicate"
	LoginConflict  = "login.conflict"
	LoginCanceled  = "login.canceled"
	LoginRefused   = "login.refused" // its client was switched off meanwhile, or lost the address to go back to
	TokenIssued    = "token.issued"
	TokenDenied    = "token.denied"
	TokenRevoked   = "token.revoked"
	CodeReplayed   = "code.replayed"
	KeyPublished   = "key.published" // the keys are no tenant's: their events have none, and no overview shows them
	KeyRotated     = "key.rotated"
	KeyRevoked     = "key.revoked" // in an emergency

	GatewayRefused = "gateway.refused" // no tenant's either: it brought what is not its own

	WebhookDisabled = "webhook.disabled" // the tenant's endpoint fails; the error code is gone or failing
)

// Actors of audit events.
const (
	ActorUser   = "user"
	ActorClient = "client"
	ActorTenant = "tenant" // somebody at its dashboard
	ActorSystem = "system" // whoever runs the service

	ActorGateway = "gateway:" // and its name
)

// Caller is who a request came from, for the events that it causes.
type Caller struct {
	IP        netip.Addr
	RequestID string // ID26; empty for what came in from a gateway
}

// Event is something that happened. ID and At are made by the caller, outside
// of the transaction; an empty ErrorCode means that it went well.
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
	Caller    Caller       // the address is stored as its /24 or /48
}

func (e *Event) result() string {
	if e.ErrorCode != "" {
		return "denied"
	}
	return "ok"
}

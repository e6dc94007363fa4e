package audit

import (
	"context"
	"maps"
	"strings"
	"time"
	"unicode"

	"example.com/griot/internal/actor"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/id"
)

// Actions of events.
const (
	AccountCreated = "account.created"
	AccountChanged = "account.changed"

	AccountTransferred = "account.transferred" // to another owner
	AccountClosed      = "account.closed"
	AccountReopened    = "account.reopened"
	AccountErased      = "account.erased" // without an account, because it is deleted
	AccountSuspended   = "account.suspended"
	AccountResumed     = "account.resumed"

	PlanChanged = "plan.changed" // a plan itself, for all accounts that have it

	SessionOpened = "session.opened" // a person signed in, or switched to the account
	SessionClosed = "session.closed"

	WhatsAppLinked   = "whatsapp.linked" // a number for signing in
	WhatsAppUnlinked = "whatsapp.unlinked"

	KeyCreated = "key.created"
	KeyRotated = "key.rotated" // replaced by another key
	KeyRevoked = "key.revoked"
	KeyChanged = "key.changed" // its additional tools at the assistant endpoint

	ProjectCreated = "project.created"
	ProjectChanged = "project.changed"
	ProjectDeleted = "project.deleted"

	MemberInvited     = "member.invited"
	MemberJoined      = "member.joined"
	MemberChanged     = "member.changed"
	MemberRemoved     = "member.removed"
	InvitationRevoked = "invitation.revoked"

	SenderAdded   = "sender.added"
	SenderChanged = "sender.changed"
	SenderRemoved = "sender.removed"
	SenderPaused  = "sender.paused"
	SenderResumed = "sender.resumed"

	SendingPaused  = "sending.paused" // for the whole deployment
	SendingResumed = "sending.resumed"

	PairingStarted = "sender.pairing_started" // to link the sender's number to a phone
	SenderPaired   = "sender.paired"
	PairingFailed  = "sender.pairing_failed"

	MasterKeyRotated = "master_key.rotated" // or checked once more

	GatewayAdded   = "gateway.added"
	GatewayChanged = "gateway.changed"
	GatewayRemoved = "gateway.removed"

	GatewayTestSent = "gateway.test_sent" // the target is the gateway; the recipient is masked

	WebhookSet          = "webhook.set"
	WebhookRemoved      = "webhook.removed"
	WebhookEnabled      = "webhook.enabled"
	WebhookDisabled     = "webhook.disabled"
	WebhookRotated      = "webhook.secret_rotated"
	WebhookReads        = "webhook.read_receipts"
	WebhookPinged       = "webhook.pinged"
	WebhookResent       = "webhook.event_resent"
	WebhookResentFailed = "webhook.failed_resent"
	StreamRotated       = "stream.secret_rotated"

	RequestMade     = "request.made" // to the operator, for a sender or a webhook endpoint
	RequestDone     = "request.done"
	RequestDeclined = "request.declined"

	CodesUnblocked = "codes.unblocked" // a prefix or a country for one-time codes

	OptOutAdded   = "optout.added" // by a user of the account, not by the recipient
	OptOutRemoved = "optout.removed"

	LogsExported  = "logs.exported"
	MessageViewed = "message.viewed" // by the operator, without its content

	PersonExported = "person.exported" // the target is a pseudonym
	PersonErased   = "person.erased"   // the erasure started
	ErasureEnded   = "person.erasure_ended"

	CustomerCreated = "billing.customer_created" // at the payment provider
	CheckoutOpened  = "billing.checkout_opened"
	PortalOpened    = "billing.portal_opened"
)

// ValidAction reports whether a text has the form of an action or of a prefix of actions, or is empty.
func ValidAction(s string) bool {
	const longest = 64
	return len(s) <= longest && !strings.ContainsFunc(s, func(r rune) bool { return (r < 'a' || r > 'z') && r != '_' && r != '.' })
}

// ValidActor reports whether a text names actors: by an address, by an [actor.Type], or, if it is empty, everyone.
func ValidActor(s string) bool {
	const longest = 254
	switch actor.Type(s) {
	case "", actor.Owner, actor.Member, actor.Key, actor.Operator, actor.System:
		return true
	default:
	}
	return len(s) <= longest && strings.Contains(s, "@") && !strings.ContainsFunc(s, unicode.IsControl)
}

// An Event is an entry of the log.
type Event struct {
	ID        string // sortable by time
	AccountID string // empty: an event of the deployment
	At        time.Time
	Actor     actor.Actor // without address and request
	Action    string
	Target    string            // the ID or name of the changed item
	Details   map[string]string // nil: none
	Network   string            // a /24 or /48; empty: unknown
}

// New returns an event for an action of the context's actor. details are names, each followed by its text. Empty
// texts are left out. Call New before the transaction that stores the event.
func New(ctx context.Context, now time.Time, accountID, action, target string, details ...string) *Event {
	by := actor.From(ctx)
	e := &Event{ID: id.New(now), AccountID: accountID, At: now, Actor: actor.Actor{Type: by.Type, ID: by.ID, Email: by.Email}, Action: action, Target: target, Network: httpx.Network(by.Address)}
	return e.With(details...)
}

// With returns the event with more details, in the form of [New]. It does not change the event itself, because a
// transaction might run again.
func (e *Event) With(details ...string) *Event {
	more := *e
	more.Details = maps.Clone(e.Details)
	for i := 0; i+1 < len(details); i += 2 {
		if details[i+1] == "" {
			continue
		}
		if more.Details == nil {
			more.Details = map[string]string{}
		}
		more.Details[details[i]] = details[i+1]
	}
	return &more
}

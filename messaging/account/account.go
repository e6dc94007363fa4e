package account

import (
	"slices"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/actor"
	"example.com/griot/internal/i18n"
)

// Account is a customer's account. Requests share it, so it is never changed after it was read.
type Account struct {
	ID            string
	Name          string
	Email         string // its owner's, in small letters
	Lang          i18n.Lang
	TimeZone      string // an IANA name
	Plan          Plan   // in effect now: see Subscription
	Subscription  Subscription
	RecipientCap  int64 // messages a recipient and day; its own, or else its plan's; 0: none
	OwnCap        int64 // its own; 0: none
	WebhookURL    string
	WebhookSecret string        // sealed
	FallbackAfter time.Duration // how long auto waits for a delivery unless the request says; 0: for ever
	MutesReads    bool          // it gets no event when a message was read
	ListenUntil   time.Time     // until when a client listens to its events (griot listen)
	CreatedAt     time.Time
	ClosedAt      time.Time // zero: it is open
	SuspendedAt   time.Time // zero: it can be used ([Directory.SetSuspended])
	SuspendedFor  string    // the operator's reason, which its members read; empty: it is not suspended
	HasOptOuts    bool      // a recipient has opted out
	HasAliases    bool      // addresses of recipients can be aliases of other addresses
	Senders       []Sender  // its own in their order, then the platform's
}

// HasLiveSender reports whether real messages can leave the account: by one of its own senders, or by the platform's numbers.
// The platform's email address sends the platform's own mails.
func (a *Account) HasLiveSender() bool {
	return slices.ContainsFunc(a.Senders, func(s Sender) bool { return s.AccountID != "" || s.Channel != gateway.Email })
}

// Sender is a number or an address that messages come from, through one gateway.
type Sender struct {
	ID        string
	AccountID string // empty: the platform's, for every account
	Channel   gateway.Channel
	Address   string // E.164 digits, or an email address
	Gateway   string // the gateway's name
	Position  int    // the order in which an account's senders are tried
	WarmUp    WarmUp
	PausedAt  time.Time // zero: it sends
}

// Paused reports whether the account has paused the sender: it sends nothing.
func (s *Sender) Paused() bool { return !s.PausedAt.IsZero() }

// Project groups an account's messages; its keys see its messages only.
type Project struct {
	ID, AccountID, Name string
	CreatedAt           time.Time
}

// Actor returns who makes the changes of a caller's requests.
func (c *Caller) Actor() actor.Actor {
	if c.Kind == Dashboard {
		return actorOf(c.MemberID, c.Email)
	}
	return actor.Actor{Type: actor.Key, ID: c.KeyID}
}

// Caller is who makes a request: a key, or a person who is signed in to the dashboard.
type Caller struct {
	Account   *Account
	ProjectID string // empty: the account itself
	Kind      Kind
	KeyID     string    // of a session: the session's id
	Email     string    // of a session: whose it is
	MemberID  string    // of a member's session; empty: the owner's
	Role      Role      // of a session
	CodeAt    time.Time // of a session: when its person last gave a code from an email; zero: never

	noted *minuteMark // when the key's use was noted last; nil: a session
}

// SandboxOnly reports whether the caller may read only simulated messages: test keys
// are kept less carefully than live ones.
func (c *Caller) SandboxOnly() bool { return c.Kind == Test }

// Owner reports whether the caller may do what only the account's owner may: with a
// live key, or in the owner's session.
func (c *Caller) Owner() bool {
	return c.Kind == Live || c.Kind == Dashboard && c.MemberID == ""
}

package account

import (
	"slices"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/actor"
	"example.com/griot/internal/i18n"
)

// An Account is a customer's account. Requests share it, so it is never changed after it was read.
type Account struct {
	ID            string
	Name          string
	Email         string // the owner's address, in lowercase
	Lang          i18n.Lang
	TimeZone      string // an IANA name
	Country       string // of numbers that its people type without one: see [CheckCountry]; empty: none
	Plan          Plan   // in effect now: see Subscription
	Subscription  Subscription
	RecipientCap  int64 // maximum messages per recipient and day: the account's own limit, or the plan's; 0: none
	OwnCap        int64 // the account's own limit; 0: none
	WebhookURL    string
	WebhookSecret string        // sealed
	FallbackAfter time.Duration // time that auto waits for a delivery unless the request sets it; 0: no limit
	MutesReads    bool          // the account gets no event when a message is read
	ListenUntil   time.Time     // time until which a program (griot listen) or a page listens to the account's events
	ListenedAt    time.Time     // time at which a program first listened to them; zero: never
	CreatedAt     time.Time
	ClosedAt      time.Time // zero: not closed
	SuspendedAt   time.Time // zero: not suspended ([Directory.SetSuspended])
	SuspendedFor  string    // the operator's reason, shown to the account's members; empty: not suspended
	HasOptOuts    bool      // a recipient has opted out
	HasAliases    bool      // addresses of recipients can be aliases of other addresses
	Senders       []Sender  // the account's own in their order, followed by the platform's
}

// HasLiveSender reports whether the account can send real messages, with one of its own senders or with the
// platform's numbers. The platform's email address is only for the platform's own mails.
func (a *Account) HasLiveSender() bool {
	return slices.ContainsFunc(a.Senders, func(s Sender) bool { return s.AccountID != "" || s.Channel != gateway.Email })
}

// A Sender is a number or an address that messages come from, through one gateway.
type Sender struct {
	ID        string
	AccountID string // empty: the platform's sender, for every account
	Channel   gateway.Channel
	Address   string // E.164 digits, or an email address
	Gateway   string // the gateway's name
	Position  int    // the order in which an account's senders are tried
	WarmUp    WarmUp
	PausedAt  time.Time // zero: not paused
}

// Paused reports whether the account has paused the sender, which then sends nothing.
func (s *Sender) Paused() bool { return !s.PausedAt.IsZero() }

// A Project groups an account's messages. Its keys can read only its messages.
type Project struct {
	ID, AccountID, Name string
	CreatedAt           time.Time
}

// Actor returns the actor for changes made by a caller's requests.
func (c *Caller) Actor() actor.Actor {
	if c.Kind == Dashboard {
		return actorOf(c.MemberID, c.Email)
	}
	return actor.Actor{Type: actor.Key, ID: c.KeyID}
}

// A Caller is the authenticated source of a request: an API key or a dashboard user.
type Caller struct {
	Account   *Account
	ProjectID string // empty: the account itself
	Kind      Kind
	KeyID     string    // for a session: the session's ID
	Email     string    // for a session: the person's address
	MemberID  string    // for a member's session; empty: the owner's
	Role      Role      // for a session
	CodeAt    time.Time // for a session: the time at which its person last entered a code from an email; zero: never
	Tools     Tools     // for a live key: its additional tools at the assistant endpoint

	noted *minuteMark // the minute in which the key's use was last recorded; nil: a session
}

// SandboxOnly reports whether the caller can read only simulated messages, because test keys are protected less
// carefully than live ones.
func (c *Caller) SandboxOnly() bool { return c.Kind == Test }

// Owner reports whether the caller has the rights of the account's owner, with a live key or in the owner's session.
func (c *Caller) Owner() bool {
	return c.Kind == Live || c.Kind == Dashboard && c.MemberID == ""
}

package inbox

import (
	"cmp"
	"encoding/base64"
	"log/slog"
	"strconv"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
	"example.com/griot/internal/seal"
	"example.com/griot/internal/webhook"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/person"
)

// Options configure an [Inbox].
type Options struct {
	DB        *db.DB
	Key       *seal.Key // signs cursors, and hides counters and IDs
	Directory *account.Directory
	Now       clock.Now
	Log       *slog.Logger
	Signal    *webhook.Signal                  // for webhook events; nil: no one waits for them
	Gateway   func(name string) gateway.Sender // returns an open gateway or nil; if it is nil, no gateway gets requests for attachments or read receipts
	Media     MediaOptions
	Keep      time.Duration // retention period of messages; zero: Retention
}

// An Inbox stores and lists the messages that people write. It is safe for concurrent use. [Inbox.Run] deletes old messages.
type Inbox struct {
	o       Options
	cursors *seal.Secret // keys
	opaque  *seal.Secret
	people  *person.Key
	media   *seal.Box
	keys    id.Sequence // of messages, so that those of the same time are shown as they arrive

	mediaDue chan struct{} // an attachment must be fetched
	readsDue chan struct{} // a gateway must be notified of read messages
}

// New returns an inbox.
func New(o Options) *Inbox {
	o.Media.MaxSize, o.Media.AccountSize = cmp.Or(o.Media.MaxSize, DefaultMediaSize), cmp.Or(o.Media.AccountSize, DefaultAccountSize)
	o.Keep = cmp.Or(o.Keep, Retention)
	return &Inbox{media: o.Key.Box(boxPurpose), mediaDue: make(chan struct{}, 1), readsDue: make(chan struct{}, 1), o: o, cursors: o.Key.Secret("inbox-cursor"), opaque: o.Key.Secret("inbox-revision"), people: person.NewKey(o.Key)}
}

// Retention is the maximum retention period of messages.
const Retention = 30 * 24 * time.Hour // M137

// A Conversation contains the messages between an account and one contact.
type Conversation struct {
	ID          string
	Phone       string // the contact's number, E.164 digits; empty: unknown
	ContactID   string // the contact's WhatsApp ID; empty: unknown
	Username    string // the contact's WhatsApp username, without @; empty: none
	SenderID    string // the account's number that the contact wrote to last
	Name        string // the name that the contact has chosen; can be empty
	LastAt      time.Time
	LastPreview string
	LastOut     bool // the account sent the newest message
	Unread      int64
}

// Address returns the address to which a reply is sent: the contact's number or, if it is unknown, the ID.
func (c *Conversation) Address() string { return cmp.Or(c.Phone, c.ContactID) }

// A Message is one message of a conversation.
type Message struct {
	ID           string
	Out          bool // from the account
	Type         gateway.InboundType
	Content      string
	MediaURL     string // at a gateway that stores it itself
	MediaID      string // the ID of the stored attachment; empty: none
	MediaShown   bool   // a browser can show it inline
	MediaMissing string // the reason why the attachment that the contact sent is missing; empty: not missing
	MIMEType     string
	FileName     string
	Choice       gateway.Choice // the button or row that the contact pressed; zero: none
	Response     string         // the data of a submitted form, a JSON object; can be empty
	ReplyTo      string         // our ID of the message that this one replies to; can be empty
	Status       message.Status // empty for incoming messages
	Scheduled    bool           // it was scheduled for a later time
	At           time.Time
	EditedAt     time.Time // the contact's last edit; zero: none
	DeletedAt    time.Time // the contact deleted it, and thereby its content; zero: not deleted
	Standby      bool      // the provider's own agent had the conversation when the message arrived
	FromPhone    bool      // the owner of the account's number wrote the message on another device; it has no Status
}

// MaxUnread is the maximum of the count of all unread messages.
const MaxUnread = 999 // M135

// FirstPlan is the smallest plan that includes the inbox.
const FirstPlan = "pro"

// CheckPlan refuses an account whose plan doesn't include the inbox.
//
// Errors: [apierror.PlanRequired].
func CheckPlan(a *account.Account) error {
	if !a.Plan.Inbox {
		return apierror.PlanRequired.Err().With("requiredPlan", FirstPlan)
	}
	return nil
}

// check refuses a caller without a permit, or whose plan doesn't include the inbox.
func (b *Inbox) check(c *account.Caller, p account.Permit) error {
	if err := p.Check(c, b.o.Now()); err != nil {
		return err
	}
	return CheckPlan(c.Account)
}

// A State summarizes an account's inbox.
type State struct {
	Account   string // an opaque name of the account, not its ID
	Revision  string // changes with every value that the owner can see; compare it for equality only
	Saturated bool   // the revision might miss changes; always false, because it is written in the same transactions
	Unread    int64  // at most MaxUnread
	Capped    bool   // there might be more
}

func (b *Inbox) state(accountID string, revision, unread int64) State {
	return State{
		Account: b.Account(accountID), Revision: b.revision(accountID, revision),
		Unread: min(max(unread, 0), MaxUnread), Capped: unread >= MaxUnread,
	}
}

// opaqueSize is the number of bytes of a MAC that represent an ID or a counter.
const opaqueSize = 15

// Account returns the opaque name of an account in responses.
func (b *Inbox) Account(accountID string) string {
	return "acc_" + base64.RawURLEncoding.EncodeToString(b.opaque.MAC("account", accountID)[:opaqueSize])
}

// revision returns the opaque form of a counter, so that clients compare revisions for equality only (M134).
func (b *Inbox) revision(accountID string, n int64) string {
	return base64.RawURLEncoding.EncodeToString(b.opaque.MAC("revision", accountID, strconv.FormatInt(n, 10))[:opaqueSize])
}

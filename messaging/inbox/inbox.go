package inbox

import (
	"cmp"
	"encoding/base64"
	"log/slog"
	"strconv"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/seal"
	"example.com/griot/internal/webhook"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/person"
)

// Options configure an [Inbox].
type Options struct {
	DB        *db.DB
	Key       *seal.Key // signs cursors, hides counters and ids
	Directory *account.Directory
	Now       clock.Now
	Log       *slog.Logger
	Signal    *webhook.Signal                  // of webhook events; nil: nobody waits for them
	Gateway   func(name string) gateway.Sender // an open gateway, or nil; without it none is asked for attachments or told what was read
	Media     MediaOptions
	Keep      time.Duration // how long a message is kept; zero: Retention
}

// Inbox stores and lists the messages that people write. It is safe for concurrent use.
// [Inbox.Run] deletes old messages.
type Inbox struct {
	o       Options
	cursors *seal.Secret // keys
	opaque  *seal.Secret
	people  *person.Key
	media   *seal.Box

	mediaDue chan struct{} // an attachment is to be fetched
	readsDue chan struct{} // a gateway is to be told what was read
}

// New returns an inbox.
func New(o Options) *Inbox {
	o.Media.MaxSize, o.Media.AccountSize = cmp.Or(o.Media.MaxSize, DefaultMediaSize), cmp.Or(o.Media.AccountSize, DefaultAccountSize)
	o.Keep = cmp.Or(o.Keep, Retention)
	return &Inbox{media: o.Key.Box(boxPurpose), mediaDue: make(chan struct{}, 1), readsDue: make(chan struct{}, 1), o: o, cursors: o.Key.Secret("inbox-cursor"), opaque: o.Key.Secret("inbox-revision"), people: person.NewKey(o.Key)}
}

// Retention is how long a message is kept at most.
const Retention = 30 * 24 * time.Hour // M137

// Conversation is the messages between an account and one contact.
type Conversation struct {
	ID          string
	Phone       string // the contact's, E.164 digits
	SenderID    string // the account's number that the contact wrote to last
	Name        string // as the contact calls itself; may be empty
	LastAt      time.Time
	LastPreview string
	LastOut     bool // the account sent the newest message
	Unread      int64
}

// Message is one message of a conversation.
type Message struct {
	ID           string
	Out          bool // from the account
	Type         gateway.InboundType
	Content      string
	MediaURL     string // at a gateway that keeps it itself
	MediaID      string // of the attachment that is stored; empty: there is none
	MediaShown   bool   // a browser may show it
	MediaMissing string // why there is no attachment though the contact sent one; empty: there is one, or none was sent
	MIMEType     string
	FileName     string
	Choice       gateway.Choice // the button or row that the contact pressed; its zero value: none
	Response     string         // what the contact filled a form in with, a JSON object; may be empty
	ReplyTo      string         // our id of the message that it answers; may be empty
	Status       message.Status // empty for what came in
	Scheduled    bool           // it was sent for a later time
	At           time.Time
}

// MaxUnread is where the count of all unread messages stops.
const MaxUnread = 999 // M135

// State summarizes an account's inbox.
type State struct {
	Account   string // stands for the account, without being its id
	Revision  string // changes with everything that the owner can see; compared for equality only
	Saturated bool   // the revision may miss changes: never, as long as it is written beside them
	Unread    int64  // at most MaxUnread
	Capped    bool   // there may be more
}

func (b *Inbox) state(accountID string, revision, unread int64) State {
	return State{
		Account: b.Account(accountID), Revision: b.revision(accountID, revision),
		Unread: min(max(unread, 0), MaxUnread), Capped: unread >= MaxUnread,
	}
}

// opaqueSize is how many bytes of a MAC are shown in place of an id or a counter.
const opaqueSize = 15

// Account returns the opaque name of an account in answers.
func (b *Inbox) Account(accountID string) string {
	return "acc_" + base64.RawURLEncoding.EncodeToString(b.opaque.MAC("account", accountID)[:opaqueSize])
}

// revision returns the opaque form of a counter, so that clients compare revisions for equality only (M134).
func (b *Inbox) revision(accountID string, n int64) string {
	return base64.RawURLEncoding.EncodeToString(b.opaque.MAC("revision", accountID, strconv.FormatInt(n, 10))[:opaqueSize])
}

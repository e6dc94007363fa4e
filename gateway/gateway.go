package gateway

import (
	"context"
	"io"
	"net/http"
	"time"
)

// Channel is the medium by which a message reaches a person.
type Channel string

// The three channels.
const (
	WhatsApp Channel = "whatsapp"
	SMS      Channel = "sms"
	Email    Channel = "email"
)

// Outbound is one message to send. Numbers are E.164 digits without a plus.
type Outbound struct {
	Ref         string // our reference: the same for every attempt at the same message
	Channel     Channel
	From        string // the sender: a number or an email address
	To          string // the recipient: a number or an email address
	GroupID     string // WhatsApp: deliver to this group instead of To
	Text        string
	HTML        string            // email
	Subject     string            // email
	Media       *Media            // WhatsApp: what is attached; Text is then its caption
	Template    *Template         // WhatsApp: what to send in place of Text, where the gateway has templates
	Interactive *Interactive      // WhatsApp: what to show below Text, where the gateway can
	ReplyTo     Quote             // WhatsApp: the message that it answers, where the gateway shows that (Info.Replies)
	Code        string            // the one-time code in Text, for channels that have templates for codes
	Preset      string            // the name of the preset that Text was made from, for gateways that have templates for presets
	Values      map[string]string // with Preset: the values of its placeholders; none is empty
	Locale      string            // with Code and Preset: fr or en
	Sensitive   bool              // keep the content out of every log and history
	ExpiresAt   time.Time
	DisplayName string // email: the sender's name
}

// Media is an attachment.
type Media struct {
	URL      string // where it was fetched from
	Data     []byte
	MIMEType string // found by looking at Data
	FileName string
}

// Ack is a gateway's acknowledgment that it has taken a message.
type Ack struct {
	ProviderID string // the gateway's own id of the message; may be empty
	Recipient  string // the recipient's id at the gateway, E.164 digits; empty: none, or the address as it was given
	Form       string // the form in which it was sent if that was changed, for the timeline: "template order_shipped"
}

// Info says what a sender's gateway can do.
type Info struct {
	Channels []Channel
	// Deduplicates: a second Send with the same Ref is not delivered twice, so that
	// an attempt with an unknown outcome may be repeated. A Ref that was taken is
	// acknowledged again, whatever has changed since: [Permanent] and [Unreachable] mean that it was never taken.
	Deduplicates bool
	// DeduplicatesFor is how long after the first Send Deduplicates holds; zero: forever.
	DeduplicatesFor time.Duration
	// Receipts: delivery reports come in through the sink.
	Receipts bool
	// Pairs: the gateway links numbers to phones ([Pairer]).
	Pairs bool
	// Media: attachments are sent.
	Media bool
	// MediaByLink: an attachment's URL is enough, so that it isn't fetched before Send.
	MediaByLink bool
	// ByProviderID: receipts have the ProviderID of a message's Ack, and not our reference.
	ByProviderID bool
	// QuotesByProviderID: an inbound message has the ProviderID of the message that it answers.
	QuotesByProviderID bool
	// Replies: a message shows which one it answers.
	Replies bool
	// Transliterates: an SMS is changed by sms.Transliterate, so that more characters fit into a segment.
	Transliterates bool
	// Window is how many Sends of one sender may be in flight: after a crash, the outcome of so many may be unknown.
	// The driver starts them all at once, and queues none. 0: 64.
	Window int
	// Pace limits how often Send is called; its zero value is no limit.
	Pace Pace
}

// Pace is the least time between two Sends. A zero duration is no limit.
type Pace struct {
	Sender time.Duration // between two messages of one sender
	Pair   time.Duration // between two messages of one sender to one recipient
	Burst  int           // how many may go at once before the limit applies; at least 1
}

// Sender sends messages. It is safe for concurrent use.
//
// One Send is one attempt. It returns nil once the gateway has taken the message;
// otherwise an *[Error] whose class says what may be done next. When ctx ends
// after the message was handed over, the class is [Unknown].
type Sender interface {
	Info() Info
	Send(ctx context.Context, out *Outbound) (Ack, error)
	// Close ends the Sends in flight: drain first. It may be called twice.
	Close() error
}

// Runner is implemented by drivers that work in the background, such as keeping a
// connection. Run returns when ctx ends.
type Runner interface {
	Run(ctx context.Context) error
}

// Connector is implemented by drivers that have a connection which can be down.
type Connector interface {
	// State returns the state of the connection of one of our addresses.
	State(channel Channel, from string) ConnDetail
}

// ConnDetail is the state of a connection with what is known of its reason.
type ConnDetail struct {
	State  ConnState
	Reason string    // in snake_case, such as "temporary_ban"; empty: unknown
	Until  time.Time // when the state is expected to end; zero: unknown
}

// ConnState is the state of a connection.
type ConnState string

// States of a connection.
const (
	Disconnected ConnState = "disconnected"
	Pairing      ConnState = "pairing"
	Connecting   ConnState = "connecting"
	Connected    ConnState = "connected"
	Restricted   ConnState = "restricted"
	LoggedOut    ConnState = "logged_out"
	Banned       ConnState = "banned"
	Outdated     ConnState = "outdated"
)

// ReachOutTimelock is the reason of a restricted connection that sends nothing to strangers for a while, but answers.
const ReachOutTimelock = "reach_out_timelock"

// Usable reports whether the connection is up, or is being made.
func (s ConnState) Usable() bool { return s == Connected || s == Connecting }

// Accepts reports whether messages can be accepted for the connection: it is usable, or answers at least. Its gateway refuses
// what goes to strangers then, as [Unreachable].
func (d ConnDetail) Accepts() bool {
	return d.State.Usable() || d.State == Restricted && d.Reason == ReachOutTimelock
}

// Querier is implemented by drivers whose gateway can be asked about a reference.
type Querier interface {
	// Query reports whether the gateway has seen ref, and its ack if so.
	Query(ctx context.Context, ref string) (seen bool, ack Ack, err error)
}

// Prober is implemented by drivers that can check the address and the credentials of
// their gateway without sending a message.
type Prober interface {
	// Probe makes one round trip. Its error is an *[Error], as of Send.
	Probe(ctx context.Context) error
}

// ClockReader is implemented by drivers whose gateway says what time it is.
type ClockReader interface {
	// ClockAhead returns how far the gateway's clock is ahead of ours, as its latest answer has shown within half a second;
	// false: no recent one has.
	ClockAhead() (ahead time.Duration, known bool)
}

// Group is a WhatsApp group that one of our numbers belongs to.
type Group struct {
	ID           string // "...@g.us"
	Name         string
	Participants int
	IsAdmin      bool // our number administers it
}

// GroupLister is implemented by drivers whose gateway knows groups.
type GroupLister interface {
	// Groups lists the groups that the sender belongs to.
	Groups(ctx context.Context, from string) ([]Group, error)
}

// WebhookReceiver is implemented by drivers whose provider calls us over HTTP.
// The handler is served at /gateways/{name}/ of the API's address, with that
// prefix removed; it checks the provider's signature before it parses anything.
type WebhookReceiver interface {
	WebhookHandler() http.Handler
}

// MediaOpener is implemented by drivers whose gateway keeps the attachments of inbound messages.
type MediaOpener interface {
	// OpenMedia opens an attachment by its message's MediaURL; the caller closes it. Addresses that the gateway's operator
	// has not configured are called by public, which dials none that is not public. Its error is an *[Error].
	OpenMedia(ctx context.Context, address string, public *http.Client) (io.ReadCloser, error)
}

// Reader is implemented by drivers whose gateway can tell people that their messages were read.
type Reader interface {
	// MarkRead tells a person that messages were read. It may be repeated, and does nothing where the gateway has no such
	// thing. Its error is an *[Error], never of the class [Unknown].
	MarkRead(ctx context.Context, r *Read) error
}

// Read says that messages of a person were read.
type Read struct {
	Channel Channel
	From    string   // our number that received them, E.164 digits
	To      string   // the person's
	IDs     []string // the gateway's ids of the messages, the oldest first; 1 to [MaxRead]
	At      time.Time
}

// MaxRead is the most messages of a [Read].
const MaxRead = 100

// The reasons why a message has no attachment though the person sent one.
const (
	MediaTooLarge    = "too_large"
	MediaAccountFull = "account_full" // the account may store no more
	MediaUnavailable = "unavailable"  // the gateway does not give it
)

// InboundType is the type of a message from a person.
type InboundType string

// The types of inbound messages; one that has none is a text.
const (
	InboundText     InboundType = "text"
	InboundImage    InboundType = "image"
	InboundVideo    InboundType = "video"
	InboundAudio    InboundType = "audio"
	InboundDocument InboundType = "document"
	InboundSticker  InboundType = "sticker"
	InboundLocation InboundType = "location"
	InboundContacts InboundType = "contacts"
	InboundReaction InboundType = "reaction"
	InboundOther    InboundType = "unsupported" // something that the gateway cannot deliver to us
)

// Known reports whether t is one of the types above.
func (t InboundType) Known() bool {
	switch t {
	case InboundText, InboundImage, InboundVideo, InboundAudio, InboundDocument, InboundSticker, InboundLocation, InboundContacts, InboundReaction, InboundOther:
		return true
	}
	return false
}

// Inbound is a message from a person.
type Inbound struct {
	ID          string // the gateway's id: the same when the message comes again
	Gateway     string // the gateway's name; set by the [Set], not by drivers
	Channel     Channel
	From        string // the person's number, E.164 digits
	To          string // our number that received it, E.164 digits
	DisplayName string // the person's own name, if known
	Type        InboundType
	Text        string // its readable part: the text, a caption, "lat,long name, address" of a location, "name number, name number" of contacts, a reaction's emoji
	MediaURL    string // address of an attachment at the gateway, if there is one: what its [MediaOpener] opens, where it is one
	MediaData   string // the bytes of the attachment, in place of its address
	MediaLost   string // why the gateway has no attachment though the person sent one ([MediaTooLarge], [MediaUnavailable]); empty: it has, or there was none
	MIMEType    string
	FileName    string
	Choice      Choice // the button or row that was pressed, whose title is Text; zero: none was
	Response    string // the answers to a form, a JSON object ([Response]); empty: none
	ReplyTo     Quoted // the message that it answers
	At          time.Time
}

// ReceiptStatus is the status in a receipt.
type ReceiptStatus string

// The statuses of receipts.
const (
	ReceiptSent      ReceiptStatus = "sent"
	ReceiptDelivered ReceiptStatus = "delivered"
	ReceiptRead      ReceiptStatus = "read"
	ReceiptFailed    ReceiptStatus = "failed"
)

// Receipt is a delivery report from a gateway.
type Receipt struct {
	Ref        string // our reference; empty from a gateway that knows its ProviderID only (Info.ByProviderID)
	Gateway    string // the gateway's name; set by the [Set], not by drivers
	ProviderID string
	Status     ReceiptStatus
	At         time.Time
	Err        *Error // for ReceiptFailed
	Part       string // for ReceiptDelivered, of one part of the message: the id of the report, the same when it is repeated; empty: the message is delivered
	Parts      int    // how many parts the message has, where the gateway reports each; 0: unknown
}

// Sink receives what comes in. Each method returns nil only after its argument
// is stored (or was stored before); on an error the driver repeats the call later.
type Sink interface {
	Inbound(ctx context.Context, in Inbound) error
	Receipt(ctx context.Context, r Receipt) error
}

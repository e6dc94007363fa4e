package gateway

import (
	"context"
	"io"
	"net/http"
	"time"
)

// Channel is the medium that a message is sent with.
type Channel string

// The three channels.
const (
	WhatsApp Channel = "whatsapp"
	SMS      Channel = "sms"
	Email    Channel = "email"
)

// Valid reports whether c is one of the three channels.
func (c Channel) Valid() bool { return c == WhatsApp || c == SMS || c == Email }

// Outbound is one message to send. Numbers are E.164 digits without a plus.
type Outbound struct {
	Ref         string // our reference, the same for all attempts of a message
	Channel     Channel
	From        string // the sender: a number or an email address
	To          string // the recipient: a number or an email address; empty with ToID
	ToID        string // WhatsApp: the recipient's ID, instead of To ([PersonID]); empty: none
	GroupID     string // WhatsApp: deliver to this group instead of To
	Text        string
	HTML        string            // for email
	Subject     string            // for email
	Media       *Media            // WhatsApp: the attachment; Text is its caption
	Template    *Template         // WhatsApp: sent instead of Text if the gateway supports templates
	Interactive *Interactive      // WhatsApp: shown below Text if the gateway supports it
	ReplyTo     Quote             // WhatsApp: the message that this one replies to, if the gateway shows it (Info.Replies)
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
	URL      string // the URL that the data was fetched from
	Data     []byte
	MIMEType string // detected from Data
	FileName string
}

// Ack is a gateway's acknowledgment that it has accepted a message.
type Ack struct {
	ProviderID string // the gateway's ID of the message; can be empty
	Recipient  string // the recipient's ID at the gateway, E.164 digits; empty: none, or the same as the given address
	Form       string // the form in which the message was sent if it was changed, for the timeline: "template order_shipped"
}

// Info describes the abilities of a sender's gateway.
type Info struct {
	Channels []Channel
	// Deduplicates means that a second Send with the same Ref is not delivered twice, so an attempt with an unknown
	// outcome can be repeated. The gateway acknowledges an accepted Ref again, regardless of any changes since then.
	// [Permanent] and [Unreachable] mean that it never accepted the Ref.
	Deduplicates bool
	// DeduplicatesFor is the time after the first Send for which Deduplicates applies. Zero means no limit.
	DeduplicatesFor time.Duration
	// Receipts means that delivery reports arrive through the sink.
	Receipts bool
	// Pairs means that the gateway links numbers to phones ([Pairer]).
	Pairs bool
	// Media means that the gateway can send attachments.
	Media bool
	// MediaByLink means that an attachment's URL is enough, so it is not fetched before Send.
	MediaByLink bool
	// ByProviderID means that receipts contain the ProviderID of a message's Ack, and not our reference.
	ByProviderID bool
	// QuotesByProviderID means that an inbound reply contains the ProviderID of the message that it replies to.
	QuotesByProviderID bool
	// Replies means that a message can be shown as a reply to another one.
	Replies bool
	// SendOnly means that people's messages don't reach us, so that no one can end an opt-out by a message.
	SendOnly bool
	// Transliterates means that an SMS is changed by sms.Transliterate, so that more characters fit into a segment.
	Transliterates bool
	// Latin1 means that Transliterates keeps the characters of Latin-1, and is sms.TransliterateLatin1.
	Latin1 bool
	// Window is the maximum number of Sends of one sender in flight. After a crash, the outcome of this many messages
	// might be unknown. The driver must start all of them immediately, without a queue. 0 means 64.
	Window int
	// Pace limits the rate of Sends. The zero value is no limit.
	Pace Pace
}

// Pace is the minimum time between two Sends. A zero duration is no limit.
type Pace struct {
	Sender time.Duration // between two messages of one sender
	Pair   time.Duration // between two messages of one sender to one recipient
	Burst  int           // number of messages that can be sent at once before the limit applies; at least 1
}

// Pacer is implemented by drivers whose senders have different paces, or whose paces change.
type Pacer interface {
	// PaceOf returns the current pace of one of our addresses. It replaces Info.Pace.
	PaceOf(from string) Pace
}

// A Notice is something that an operator should know about a gateway that works.
type Notice struct {
	Failed bool   // it no longer works as documented
	Text   string // a clause without a period, for operators
	Hint   string // the repair
}

// Noticer is implemented by drivers that have notices for operators.
type Noticer interface {
	// Notices returns what is known without contacting the provider; nil: nothing.
	Notices() []Notice
}

// Sender sends messages. It is safe for concurrent use.
//
// One Send is one attempt. It returns nil once the gateway has accepted the message. Otherwise, it returns an
// *[Error] whose class determines the possible next steps. If ctx ends after the message was submitted, the class is
// [Unknown].
type Sender interface {
	Info() Info
	Send(ctx context.Context, out *Outbound) (Ack, error)
	// Close ends the Sends in flight, so drain them first. It can be called twice.
	Close() error
}

// Runner is implemented by drivers that work in the background, for example to maintain a connection. Run returns when ctx ends.
type Runner interface {
	Run(ctx context.Context) error
}

// Connector is implemented by drivers whose connection can be down.
type Connector interface {
	// State returns the state of the connection of one of our addresses.
	State(channel Channel, from string) ConnDetail
}

// ConnDetail is the state of a connection with its reason, if known.
type ConnDetail struct {
	State  ConnState
	Reason string    // in snake_case, such as "temporary_ban"; empty: unknown
	Until  time.Time // expected end of the state; zero: unknown
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

// ReachOutTimelock is the reason for a restricted connection that temporarily cannot send to strangers, but can reply.
const ReachOutTimelock = "reach_out_timelock"

// Usable reports whether the connection is up or is being established.
func (s ConnState) Usable() bool { return s == Connected || s == Connecting }

// Accepts reports whether messages can be accepted for the connection, because it is usable or can at least send
// replies. In the second case, its gateway refuses messages to strangers as [Unreachable].
func (d ConnDetail) Accepts() bool {
	return d.State.Usable() || d.State == Restricted && d.Reason == ReachOutTimelock
}

// Querier is implemented by drivers whose gateway can report the status of a reference.
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

// ClockReader is implemented by drivers whose gateway reports its time.
type ClockReader interface {
	// ClockAhead returns the difference between the gateway's clock and ours, measured with its latest response and
	// accurate to half a second. It returns false if there is no recent response.
	ClockAhead() (ahead time.Duration, known bool)
}

// Group is a WhatsApp group that one of our numbers belongs to.
type Group struct {
	ID           string // "...@g.us"
	Name         string
	Participants int
	IsAdmin      bool // our number is an administrator of the group
}

// GroupLister is implemented by drivers whose gateway supports groups.
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

// MediaOpener is implemented by drivers whose gateway stores the attachments of inbound messages.
type MediaOpener interface {
	// OpenMedia opens an attachment by its message's MediaURL. The caller closes it. Addresses that the gateway's
	// operator has not configured are requested with public, which connects only to public IP addresses. The error is
	// an *[Error].
	OpenMedia(ctx context.Context, address string, public *http.Client) (io.ReadCloser, error)
}

// Reader is implemented by drivers whose gateway can send read receipts.
type Reader interface {
	// MarkRead sends a person a read receipt. It can be repeated, and does nothing if the gateway does not support
	// it. The error is an *[Error], never of the class [Unknown].
	MarkRead(ctx context.Context, r *Read) error
}

// Read is a read receipt for messages of a person.
type Read struct {
	Channel Channel
	From    string   // our number that received them, E.164 digits
	To      string   // the person's number, E.164 digits; empty: unknown
	ToID    string   // the person's ID ([PersonID]); empty: unknown
	IDs     []string // the gateway's IDs of the messages, oldest first; 1 to [MaxRead]
	At      time.Time
}

// MaxRead is the maximum number of messages in a [Read].
const MaxRead = 100

// Reasons why a message has no attachment although the person sent one.
const (
	MediaTooLarge    = "too_large"
	MediaAccountFull = "account_full" // the account has reached its storage limit
	MediaUnavailable = "unavailable"  // the gateway does not provide it
)

// InboundType is the type of a message from a person.
type InboundType string

// The types of inbound messages. The zero value is a text.
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
	InboundOther    InboundType = "unsupported" // content that the gateway cannot deliver to us
	// InboundUnavailable is a message whose content the gateway doesn't have. If it comes later, the message with the
	// same ID has it.
	InboundUnavailable InboundType = "unavailable"
)

// Known reports whether t is one of the types above.
func (t InboundType) Known() bool {
	switch t {
	case InboundText, InboundImage, InboundVideo, InboundAudio, InboundDocument, InboundSticker, InboundLocation, InboundContacts, InboundReaction, InboundOther, InboundUnavailable:
		return true
	}
	return false
}

// Inbound is a message from a person.
type Inbound struct {
	ID          string // the gateway's ID, the same if the message is delivered again
	Gateway     string // the gateway's name; set by the [Set], not by drivers
	Channel     Channel
	From        string // the person's number, E.164 digits; empty: WhatsApp hides it, and Person has the ID, or Local is set
	Local       string // SMS: the sender as it came, without a From ([Inbound.SetSender]): a national number, a short code, or a name
	Person      PersonID
	Source      NumberSource // why From is known; empty with an empty From. Drivers can leave it empty; the [Set] then sets [NumberShown]
	To          string       // our number that received it, E.164 digits; empty: not reported, and the sink looks for it
	DisplayName string       // the name that the person has chosen, if known
	Type        InboundType
	Text        string // its readable part: the text, a caption, "lat,long name, address" of a location, "name number, name number" of contacts, a reaction's emoji
	MediaURL    string // the address of an attachment at the gateway, if there is one, for its [MediaOpener] if it has one
	MediaData   string // the bytes of the attachment, instead of its address
	MediaLost   string // why the attachment that the person sent is missing ([MediaTooLarge], [MediaUnavailable]); empty: it is not
	MIMEType    string
	FileName    string
	Choice      Choice // the pressed button or row, whose title is Text; zero: none
	Response    string // the data of a submitted form, a JSON object ([Response]); empty: none
	ReplyTo     Quoted // the message that this one replies to
	Shared      string // of contacts: the person's own number, E.164 digits, that WhatsApp's button of a [NumberRequest] has shared; empty: none
	Standby     bool   // the provider's own agent has the conversation; a message of the account takes it over
	OptOut      OptOut // what the provider's list of opt-outs has made of the message; empty: nothing, or unknown, so that the text decides
	At          time.Time
	Order       time.Time // the place among the messages of its conversation that have the same At; zero: unknown, so that they are shown as they arrive
}

// OptOut is a change of a provider's list of opt-outs because of a person's message.
type OptOut string

// The changes of a provider's list.
const (
	OptOutStopped OptOut = "stopped" // the provider refuses messages to the person from now on
	OptOutStarted OptOut = "started" // the provider accepts messages to the person again
)

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
	Ref        string // our reference; empty if the gateway reports only its ProviderID (Info.ByProviderID)
	Gateway    string // the gateway's name; set by the [Set], not by drivers
	ProviderID string
	Status     ReceiptStatus
	At         time.Time
	Err        *Error   // for ReceiptFailed
	Part       string   // for ReceiptDelivered, of one part of the message: the ID of the report, the same if it is repeated; empty: the whole message
	Parts      int      // number of parts of the message, if the gateway reports each; 0: unknown
	Recipient  string   // the recipient's number at the gateway, E.164 digits; empty: unknown
	Person     PersonID // the recipient's ID
	Pricing    *Pricing // nil: not reported
}

// Sink receives inbound messages, receipts, and changes. Each method returns nil only after its argument is stored (or
// was stored before). After an error, the driver repeats the call later.
type Sink interface {
	Inbound(ctx context.Context, in Inbound) error
	Receipt(ctx context.Context, r Receipt) error
	Change(ctx context.Context, c Change) error
}

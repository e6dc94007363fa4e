package protocol

import (
	"regexp"
	"time"
)

var numberPattern = regexp.MustCompile(`\A[1-9][0-9]{7,14}\z`)

// IsNumber reports whether s is a phone number: digits with the country code.
func IsNumber(s string) bool { return numberPattern.MatchString(s) }

var linkedPattern = regexp.MustCompile(`\A[1-9][0-9]{0,19}@lid\z`)

// IsLID reports whether s is WhatsApp's ID of a person at linked numbers, without a device.
func IsLID(s string) bool { return linkedPattern.MatchString(s) }

// Info is the response to GET /info.
type Info struct {
	Protocol     int          `json:"protocol"`
	Deduplicates bool         `json:"deduplicates"`
	Receipts     bool         `json:"receipts"`
	Groups       bool         `json:"groups"`
	Pairing      bool         `json:"pairing"`
	Replies      bool         `json:"replies"`
	Read         bool         `json:"read"`
	IDs          bool         `json:"ids"` // a recipient can be an ID
	Media        string       `json:"media"`
	Pace         Pace         `json:"pace"`
	Connections  []Connection `json:"connections"`
}

// Pace is the pace that the gateway asks for, in milliseconds.
type Pace struct {
	Sender int `json:"sender"`
	Pair   int `json:"pair"`
	Burst  int `json:"burst"`
}

// Message is the body of POST /send, with the fields that WhatsApp supports.
type Message struct {
	Reference   string       `json:"reference"`
	Channel     string       `json:"channel"`
	From        string       `json:"from"`
	To          string       `json:"to"`
	ToID        string       `json:"toId"` // the recipient's ID, without To
	GroupID     string       `json:"groupId"`
	Text        string       `json:"text"`
	Media       *Media       `json:"media"`
	Interactive *Interactive `json:"interactive"`
	ReplyTo     *ReplyTo     `json:"replyTo"`
	ExpiresAt   *time.Time   `json:"expiresAt"`
}

// ReplyTo is the message that another message replies to. It is identified by its reference if Griot sent it, or by
// WhatsApp's ID if the person sent it.
type ReplyTo struct {
	Reference string `json:"reference"`
	ID        string `json:"id"`
	Text      string `json:"text"`
}

// Read is the body of POST /read: messages from a person that were read.
type Read struct {
	Channel string    `json:"channel"`
	From    string    `json:"from"`
	To      string    `json:"to"`
	ToID    string    `json:"toId"` // the person's ID, with or instead of To
	IDs     []string  `json:"ids"`
	At      time.Time `json:"at"`
}

// Media is a message's attachment.
type Media struct {
	Data     []byte `json:"data"`
	MIMEType string `json:"mimeType"`
	FileName string `json:"fileName"`
}

// Interactive contains the options that Griot would show below the text. This gateway converts them to text.
type Interactive struct {
	Header  string   `json:"header"`
	Footer  string   `json:"footer"`
	Buttons []Choice `json:"buttons"`
	List    *List    `json:"list"`
	Link    *Link    `json:"link"`
}

// Choice is a button or a row of a list.
type Choice struct {
	ID          string `json:"id"`
	Title       string `json:"title"`
	Description string `json:"description,omitempty"`
}

// List is a menu.
type List struct {
	Sections []Section `json:"sections"`
}

// Section is a part of a menu.
type Section struct {
	Title string   `json:"title"`
	Rows  []Choice `json:"rows"`
}

// Link is a button that opens a URL.
type Link struct {
	Title string `json:"title"`
	URL   string `json:"url"`
}

// Accepted is the response for a message that the gateway has accepted.
type Accepted struct {
	Reference  string `json:"reference"`
	ProviderID string `json:"providerId"`
	Recipient  string `json:"recipient,omitempty"` // the recipient's number at WhatsApp, if it differs from the given one
}

// Refusal is the response for a message that the gateway has refused.
type Refusal struct {
	Error Failure `json:"error"`
}

// Failure is the reason of a refusal.
type Failure struct {
	Class        string `json:"class"`
	Code         string `json:"code"`
	ProviderCode string `json:"providerCode,omitempty"`
	RetryAfter   int    `json:"retryAfter,omitempty"`
}

// GroupList is the response to GET /groups.
type GroupList struct {
	Groups []Group `json:"groups"`
}

// Group is one of a number's groups.
type Group struct {
	ID           string `json:"id"`
	Name         string `json:"name"`
	Participants int    `json:"participants"`
	IsAdmin      bool   `json:"isAdmin"`
}

// PairRequest is the body of POST /pair.
type PairRequest struct {
	Channel string `json:"channel"`
	From    string `json:"from"`
	Method  string `json:"method"`
}

// Methods of linking a phone.
const (
	PairByQR   = "qr"
	PairByCode = "code"
)

// PairProgress is the response to POST, GET, and DELETE /pair.
type PairProgress struct {
	State     string    `json:"state"`
	QR        string    `json:"qr,omitempty"`
	Code      string    `json:"code,omitempty"`
	ExpiresAt time.Time `json:"expiresAt,omitzero"`
	Reason    string    `json:"reason,omitempty"`
}

// The states of a pairing.
const (
	PairNone     = "none"
	PairStarting = "starting"
	PairWaiting  = "waiting"
	PairDone     = "paired"
	PairFailed   = "failed"
)

// Event is the body of POST /events.
type Event struct {
	Type string `json:"type"`
	// Order is greater than that of each earlier event of the conversation: Unix milliseconds, increased if necessary. 0: none
	Order      int64       `json:"order,omitempty"`
	Receipt    *Receipt    `json:"receipt,omitempty"`
	Inbound    *Inbound    `json:"inbound,omitempty"`
	Change     *Change     `json:"change,omitempty"`
	Connection *Connection `json:"connection,omitempty"`
}

// Receipt reports the status of a message.
type Receipt struct {
	Reference   string    `json:"reference"`
	ProviderID  string    `json:"providerId"`
	Status      string    `json:"status"`
	Recipient   string    `json:"recipient,omitempty"`   // the recipient's number, if the receipt shows it
	RecipientID string    `json:"recipientId,omitempty"` // the recipient's ID
	At          time.Time `json:"at"`
}

// Inbound is a message from a person.
type Inbound struct {
	ID           string        `json:"id"`
	Channel      string        `json:"channel"`
	From         string        `json:"from,omitempty"`        // the person's number; empty: unknown
	FromID       string        `json:"fromId,omitempty"`      // the person's ID; empty: unknown
	FromSource   string        `json:"fromSource,omitempty"`  // SourcePaired, or empty if the message shows From
	FromPairedAt time.Time     `json:"fromPairedAt,omitzero"` // with SourcePaired: the time of WhatsApp's report; zero: unknown
	To           string        `json:"to"`
	DisplayName  string        `json:"displayName,omitempty"`
	Kind         string        `json:"kind"`
	Text         string        `json:"text,omitempty"`
	Media        *InboundMedia `json:"media,omitempty"`
	Choice       *Choice       `json:"choice,omitempty"`
	ReplyTo      string        `json:"replyTo,omitempty"`
	ReplyToID    string        `json:"replyToId,omitempty"`
	At           time.Time     `json:"at"`
}

// SourcePaired is the source of a number that the message itself does not show.
const SourcePaired = "paired"

// Change reports something about a person or a message that is not a message.
type Change struct {
	ID        string    `json:"id,omitempty"`
	Kind      string    `json:"kind"`
	Channel   string    `json:"channel"`
	From      string    `json:"from,omitempty"`
	FromID    string    `json:"fromId,omitempty"`
	To        string    `json:"to"`
	MessageID string    `json:"messageId,omitempty"` // of MessageEdited, MessageDeleted, and MessageSent
	Content   *Content  `json:"content,omitempty"`   // of MessageEdited and MessageSent
	Own       bool      `json:"own,omitempty"`       // of MessageEdited and MessageDeleted: of a message of MessageSent
	At        time.Time `json:"at"`
}

// Content is the new content of an edited message, or the content of one that the owner of a number has written.
type Content struct {
	Kind      string `json:"kind"`
	Text      string `json:"text"`
	MIMEType  string `json:"mimeType,omitempty"`
	FileName  string `json:"fileName,omitempty"`
	ReplyToID string `json:"replyToId,omitempty"`
}

// The kinds of changes that this gateway reports.
const (
	PairKnown         = "pair_known"
	MessageUnreadable = "message_unreadable"
	MessageEdited     = "message_edited"
	MessageDeleted    = "message_deleted"
	MessageSent       = "message_sent"
)

// InboundMedia is an attachment from a person: a path at this gateway, or the reason why it is missing.
type InboundMedia struct {
	URL      string `json:"url,omitempty"`
	Missing  string `json:"missing,omitempty"`
	MIMEType string `json:"mimeType,omitempty"`
	FileName string `json:"fileName,omitempty"`
}

// Connection is the state of one of the gateway's numbers.
type Connection struct {
	Channel string    `json:"channel"`
	From    string    `json:"from"`
	State   string    `json:"state"`
	Reason  string    `json:"reason,omitempty"`
	Until   time.Time `json:"until,omitzero"`
	At      time.Time `json:"at"`
}

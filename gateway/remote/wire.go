package remote

import (
	"encoding/json"
	"time"

	"example.com/griot/gateway"
)

// Protocol is the protocol version of this driver.
const Protocol = 1

// Forms in which a gateway accepts media.
const (
	MediaByBytes = "bytes"
	MediaByLink  = "link"
)

// Info is the response to GET /info (docs/gateway-protocol.md §3).
type Info struct {
	Protocol     int               `json:"protocol"`
	Deduplicates bool              `json:"deduplicates"` // a reference is delivered at most once
	Receipts     bool              `json:"receipts"`
	Groups       bool              `json:"groups"`
	Pairing      bool              `json:"pairing"`
	Replies      bool              `json:"replies"` // a message can be a reply to another
	Read         bool              `json:"read"`    // the gateway supports read receipts
	IDs          bool              `json:"ids"`     // a recipient can be an ID instead of a number
	Media        string            `json:"media"`   // "bytes", "link", or "": none
	Pace         Pace              `json:"pace"`
	Connections  []ConnectionEvent `json:"connections"` // current states
}

// Pace is the pace that the gateway asks for, in milliseconds. 0 means no limit.
type Pace struct {
	Sender int `json:"sender"` // between two messages of one sender
	Pair   int `json:"pair"`   // between two messages of one sender to one recipient
	Burst  int `json:"burst"`
}

// Message is the body of POST /send (§4).
type Message struct {
	Reference   string               `json:"reference"`
	Channel     string               `json:"channel"`
	From        string               `json:"from"`
	To          string               `json:"to,omitempty"`
	ToID        string               `json:"toId,omitempty"` // the recipient's ID, without To
	GroupID     string               `json:"groupId,omitempty"`
	Text        string               `json:"text,omitempty"`
	HTML        string               `json:"html,omitempty"`
	Subject     string               `json:"subject,omitempty"`
	DisplayName string               `json:"displayName,omitempty"`
	Media       *Media               `json:"media,omitempty"`
	Code        string               `json:"code,omitempty"`
	Preset      string               `json:"preset,omitempty"`
	Values      map[string]string    `json:"values,omitempty"`
	Locale      string               `json:"locale,omitempty"`
	Template    *gateway.Template    `json:"template,omitempty"`
	Interactive *gateway.Interactive `json:"interactive,omitempty"`
	ReplyTo     *ReplyTo             `json:"replyTo,omitempty"`
	Sensitive   bool                 `json:"sensitive,omitempty"`
	ExpiresAt   *time.Time           `json:"expiresAt,omitempty"` // UTC
}

// ReplyTo is the message that another message replies to. It is identified by its Reference if it is ours, or by the
// provider's ID if the person sent it.
type ReplyTo struct {
	Reference string `json:"reference,omitempty"`
	ID        string `json:"id,omitempty"`
	Text      string `json:"text,omitempty"` // its first characters
}

// Media is a message's attachment: Data, or a URL to fetch it from.
type Media struct {
	URL      string `json:"url,omitempty"`
	Data     []byte `json:"data,omitempty"` // base64
	MIMEType string `json:"mimeType"`
	FileName string `json:"fileName,omitempty"`
}

// Read is the body of POST /read (§10).
type Read struct {
	Channel string    `json:"channel"`
	From    string    `json:"from"`
	To      string    `json:"to,omitempty"`
	ToID    string    `json:"toId,omitempty"`
	IDs     []string  `json:"ids"`
	At      time.Time `json:"at"` // UTC
}

// Accepted is the response to POST /send, with status 200, and to GET /messages/{reference} (§5).
type Accepted struct {
	Reference  string `json:"reference"` // the same as in the request
	ProviderID string `json:"providerId"`
	Recipient  string `json:"recipient"` // the recipient's ID at the provider, E.164 digits; empty: the same as the given address
}

// Refusal is the body of every other response (§6).
type Refusal struct {
	Error Failure `json:"error"`
}

// Failure is the reason for a refusal.
type Failure struct {
	Class        gateway.Class `json:"class"`
	Code         string        `json:"code"`         // in snake_case
	ProviderCode string        `json:"providerCode"` // the provider's code, if there is one
	RetryAfter   int           `json:"retryAfter"`   // in seconds
}

// GroupList is the response to GET /groups (§7).
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

// PairRequest is the body of POST /pair (§9).
type PairRequest struct {
	Channel gateway.Channel       `json:"channel"`
	From    string                `json:"from"`
	Method  gateway.PairingMethod `json:"method"`
}

// PairProgress is the response to POST, GET, and DELETE /pair.
type PairProgress struct {
	State     gateway.PairingState `json:"state"`
	QR        string               `json:"qr,omitempty"`
	Code      string               `json:"code,omitempty"`
	ExpiresAt time.Time            `json:"expiresAt,omitzero"`
	Reason    string               `json:"reason,omitempty"` // with failed
}

// Event is the body of POST /events. It contains the field that its Type names (§8).
type Event struct {
	Type       string           `json:"type"` // receipt, inbound, change, connection
	Receipt    *ReceiptEvent    `json:"receipt,omitempty"`
	Inbound    *InboundEvent    `json:"inbound,omitempty"`
	Change     *ChangeEvent     `json:"change,omitempty"`
	Connection *ConnectionEvent `json:"connection,omitempty"`
}

// ReceiptEvent is a delivery report.
type ReceiptEvent struct {
	Reference  string                `json:"reference"`
	ProviderID string                `json:"providerId"`
	Status     gateway.ReceiptStatus `json:"status"`
	At         time.Time             `json:"at"`
	Error      *Failure              `json:"error,omitempty"` // with failed

	Recipient   loose `json:"recipient,omitempty"`   // the recipient's number, E.164 digits
	RecipientID loose `json:"recipientId,omitempty"` // the recipient's ID

	Pricing *Pricing `json:"pricing,omitempty"` // whether the provider charges for the message
}

// Pricing is what the provider reports about the price of a message. Without Billable, it says nothing.
type Pricing struct {
	Billable *bool `json:"billable"`
	Category loose `json:"category,omitempty"`
}

// UnmarshalJSON implements [json.Unmarshaler]. It never fails, so that no receipt is lost because of its price.
func (p *Pricing) UnmarshalJSON(b []byte) error {
	var members struct {
		Billable json.RawMessage `json:"billable"`
		Category loose           `json:"category"`
	}
	if json.Unmarshal(b, &members) != nil {
		return nil //nolint:nilerr // a price of another form says nothing
	}
	p.Category = members.Category
	if text := string(members.Billable); text == "true" || text == "false" {
		billable := text == "true"
		p.Billable = &billable
	}
	return nil
}

// Person identifies a person in an event: by From, FromID, or both.
type Person struct {
	From         loose `json:"from,omitempty"`         // the number, E.164 digits; empty: WhatsApp hides it
	FromID       loose `json:"fromId,omitempty"`       // a LID or a business-scoped user ID
	FromParentID loose `json:"fromParentId,omitempty"` // the ID in the parent portfolio
	FromUsername loose `json:"fromUsername,omitempty"`
}

// InboundEvent is a message from a person.
type InboundEvent struct {
	ID      string          `json:"id"` // the same if the event is repeated
	Channel gateway.Channel `json:"channel"`
	Person
	FromSource   loose           `json:"fromSource,omitempty"`   // why From is known: shown (default), or paired if the message doesn't show it
	FromPairedAt loose           `json:"fromPairedAt,omitempty"` // the time at which the provider last reported From with FromID; empty: unknown
	To           string          `json:"to"`
	DisplayName  string          `json:"displayName"`
	Kind         loose           `json:"kind"`
	Text         string          `json:"text"`
	MediaURL     string          `json:"mediaUrl"` // like Media's URL
	MIMEType     string          `json:"mimeType"`
	FileName     string          `json:"fileName"`
	Media        *InboundMedia   `json:"media,omitempty"`
	Choice       *InboundChoice  `json:"choice,omitempty"`    // the pressed button or row; Text is then its title, or empty
	Response     json.RawMessage `json:"response,omitempty"`  // the data of a submitted form, a JSON object
	ReplyTo      string          `json:"replyTo,omitempty"`   // the reference of the message that it replies to
	ReplyToID    string          `json:"replyToId,omitempty"` // the provider's ID of that message, if the reference is unknown
	Standby      looseFlag       `json:"standby,omitempty"`   // the provider's own agent has the conversation
	At           time.Time       `json:"at"`
}

// ChangeEvent is a report about a person or a message that is not a message itself.
type ChangeEvent struct {
	ID      string             `json:"id"` // the same if the event is repeated; empty: none
	Kind    gateway.ChangeKind `json:"kind"`
	Channel gateway.Channel    `json:"channel"`
	Person
	To          string        `json:"to"`
	OldNumber   loose         `json:"oldNumber,omitempty"`   // of number_changed: the number before
	OldID       loose         `json:"oldId,omitempty"`       // of number_changed and id_changed: the ID before
	OldParentID loose         `json:"oldParentId,omitempty"` // of number_changed and id_changed: the parent ID before
	MessageID   string        `json:"messageId,omitempty"`   // of message_edited and message_deleted: the provider's ID of the message
	Content     *InboundEvent `json:"content,omitempty"`     // of message_edited: the kind, the text, and the attachment
	At          time.Time     `json:"at"`
}

// loose is a text that is empty if the JSON value has another type, so that a message isn't lost because of it.
type loose string

// UnmarshalJSON implements [json.Unmarshaler]. It never fails.
func (l *loose) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) != nil {
		s = ""
	}
	*l = loose(s)
	return nil
}

// looseFlag is a boolean that is false if the JSON value has another type, so that a message isn't lost because of it.
type looseFlag bool

// UnmarshalJSON implements [json.Unmarshaler]. It never fails.
func (l *looseFlag) UnmarshalJSON(b []byte) error {
	*l = string(b) == "true"
	return nil
}

// InboundMedia is an attachment of a message from a person: its Data, a URL to fetch it from, or the reason why it is missing.
type InboundMedia struct {
	URL      string `json:"url,omitempty"`     // HTTPS, or a path at the gateway
	Data     []byte `json:"data,omitempty"`    // base64
	Missing  string `json:"missing,omitempty"` // too_large, unavailable
	MIMEType string `json:"mimeType,omitempty"`
	FileName string `json:"fileName,omitempty"`
}

// InboundChoice is a button or a row of a list that a person has pressed.
type InboundChoice struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

// ConnectionEvent is the state of the connection of one of our addresses.
type ConnectionEvent struct {
	Channel gateway.Channel   `json:"channel"`
	From    string            `json:"from"`
	State   gateway.ConnState `json:"state"`
	Reason  string            `json:"reason,omitempty"`
	Until   time.Time         `json:"until,omitzero"`
	At      time.Time         `json:"at"`
}

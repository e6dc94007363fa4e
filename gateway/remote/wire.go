package remote

import (
	"encoding/json"
	"strconv"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/internal/httpcall"
	"example.com/griot/internal/strictjson"
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

// UnmarshalJSON implements [json.Unmarshaler]. It never fails, so that neither a class nor a receipt is lost because of
// another field.
func (f *Failure) UnmarshalJSON(b []byte) error {
	var fields struct {
		Class        httpcall.Word `json:"class"`
		Code         httpcall.Word `json:"code"`
		ProviderCode httpcall.Word `json:"providerCode"`
		RetryAfter   httpcall.Word `json:"retryAfter"`
	}
	_ = strictjson.UnmarshalText(b, &fields) // fails for another type than an object
	seconds, _ := strconv.Atoi(string(fields.RetryAfter))
	*f = Failure{Class: gateway.Class(fields.Class), Code: string(fields.Code), ProviderCode: string(fields.ProviderCode), RetryAfter: seconds}
	return nil
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

// The fields of events are read loosely, so that no message is lost because of one of them: a field with a value of
// another type is empty, and numbers are also texts.

// Event is the body of POST /events. It contains the field that its Type names (§8).
type Event struct {
	Type       httpcall.Word    `json:"type"`            // receipt, inbound, change, connection
	Order      httpcall.Word    `json:"order,omitempty"` // Unix milliseconds; greater than that of each earlier event of the conversation
	Receipt    *ReceiptEvent    `json:"receipt,omitempty"`
	Inbound    *InboundEvent    `json:"inbound,omitempty"`
	Change     *ChangeEvent     `json:"change,omitempty"`
	Connection *ConnectionEvent `json:"connection,omitempty"`
}

// ReceiptEvent is a delivery report.
type ReceiptEvent struct {
	Reference   httpcall.Word   `json:"reference"`
	ProviderID  httpcall.Word   `json:"providerId"`
	Status      httpcall.Word   `json:"status"` // a gateway.ReceiptStatus
	At          httpcall.Moment `json:"at"`
	Error       *Failure        `json:"error,omitempty"`       // with failed
	Recipient   httpcall.Word   `json:"recipient,omitempty"`   // the recipient's number, E.164 digits
	RecipientID httpcall.Word   `json:"recipientId,omitempty"` // the recipient's ID
	Pricing     *Pricing        `json:"pricing,omitempty"`     // whether the provider charges for the message
}

// Pricing is what the provider reports about the price of a message. Without Billable, it says nothing.
type Pricing struct {
	Billable *bool         `json:"billable"`
	Category httpcall.Word `json:"category,omitempty"`
}

// UnmarshalJSON implements [json.Unmarshaler]. It never fails.
func (p *Pricing) UnmarshalJSON(b []byte) error {
	var fields struct {
		Billable json.RawMessage `json:"billable"`
		Category httpcall.Word   `json:"category"`
	}
	_ = strictjson.UnmarshalText(b, &fields) // fails for another type than an object
	*p = Pricing{Category: fields.Category}
	if text := string(fields.Billable); text == "true" || text == "false" {
		billable := text == "true"
		p.Billable = &billable
	}
	return nil
}

// Person identifies a person in an event: by From, FromID, or both.
type Person struct {
	From         httpcall.Word `json:"from,omitempty"`         // the number, E.164 digits; empty: WhatsApp hides it
	FromID       httpcall.Word `json:"fromId,omitempty"`       // a LID or a business-scoped user ID
	FromParentID httpcall.Word `json:"fromParentId,omitempty"` // the ID in the parent portfolio
	FromUsername httpcall.Word `json:"fromUsername,omitempty"`
}

// InboundEvent is a message from a person.
type InboundEvent struct {
	ID      httpcall.Word `json:"id"`      // the same if the event is repeated
	Channel httpcall.Word `json:"channel"` // whatsapp or sms
	Person
	FromSource   looseSource     `json:"fromSource,omitempty"`   // why From is known: shown (default), or paired if the message doesn't show it
	FromPairedAt httpcall.Word   `json:"fromPairedAt,omitempty"` // the time at which the provider last reported From with FromID; empty: unknown
	To           httpcall.Word   `json:"to"`
	DisplayName  httpcall.Word   `json:"displayName"`
	Kind         httpcall.Word   `json:"kind"`
	Text         httpcall.Word   `json:"text"`
	MediaURL     httpcall.Word   `json:"mediaUrl"` // like Media's URL
	MIMEType     httpcall.Word   `json:"mimeType"`
	FileName     httpcall.Word   `json:"fileName"`
	Media        *InboundMedia   `json:"media,omitempty"`
	Choice       *InboundChoice  `json:"choice,omitempty"`    // the pressed button or row; Text is then its title, or empty
	Response     json.RawMessage `json:"response,omitempty"`  // the data of a submitted form, a JSON object
	ReplyTo      httpcall.Word   `json:"replyTo,omitempty"`   // the reference of the message that it replies to
	ReplyToID    httpcall.Word   `json:"replyToId,omitempty"` // the provider's ID of that message, if the reference is unknown
	Standby      looseFlag       `json:"standby,omitempty"`   // the provider's own agent has the conversation
	At           httpcall.Moment `json:"at"`
}

// ChangeEvent is a report about a person or a message that is not a message itself.
type ChangeEvent struct {
	ID      httpcall.Word `json:"id"`   // the same if the event is repeated; empty: none
	Kind    httpcall.Word `json:"kind"` // a gateway.ChangeKind
	Channel httpcall.Word `json:"channel"`
	Person
	To          httpcall.Word   `json:"to"`
	OldNumber   httpcall.Word   `json:"oldNumber,omitempty"`   // of number_changed: the number before
	OldID       httpcall.Word   `json:"oldId,omitempty"`       // of number_changed and id_changed: the ID before
	OldParentID httpcall.Word   `json:"oldParentId,omitempty"` // of number_changed and id_changed: the parent ID before
	MessageID   httpcall.Word   `json:"messageId,omitempty"`   // of message_edited, message_deleted, and message_sent: the provider's ID of the message
	Content     *InboundEvent   `json:"content,omitempty"`     // of message_edited and message_sent: the kind, the text, the attachment, and what it replies to
	Own         looseFlag       `json:"own,omitempty"`         // of message_edited and message_deleted: the owner of our number has written the message
	At          httpcall.Moment `json:"at"`
}

// looseSource is why a number is known. A value of another type than a text isn't trusted more than an unknown text.
type looseSource string

// UnmarshalJSON implements [json.Unmarshaler]. It never fails.
func (l *looseSource) UnmarshalJSON(b []byte) error {
	var text *string
	switch {
	case json.Unmarshal(b, &text) != nil:
		*l = "unreadable"
	case text == nil:
		*l = ""
	default:
		*l = looseSource(*text)
	}
	return nil
}

// looseFlag is a boolean that is false if the JSON value has another type.
type looseFlag bool

// UnmarshalJSON implements [json.Unmarshaler]. It never fails.
func (l *looseFlag) UnmarshalJSON(b []byte) error {
	*l = string(b) == "true"
	return nil
}

// InboundMedia is an attachment of a message from a person: its Data, a URL to fetch it from, or the reason why it is missing.
type InboundMedia struct {
	URL      httpcall.Word `json:"url,omitempty"` // HTTPS, or a path at the gateway
	Data     fileData      `json:"data,omitempty"`
	Missing  httpcall.Word `json:"missing,omitempty"` // too_large, unavailable
	MIMEType httpcall.Word `json:"mimeType,omitempty"`
	FileName httpcall.Word `json:"fileName,omitempty"`
}

// UnmarshalJSON implements [json.Unmarshaler]. It never fails.
func (m *InboundMedia) UnmarshalJSON(b []byte) error {
	type fields InboundMedia
	*m = InboundMedia{}
	_ = strictjson.UnmarshalText(b, (*fields)(m)) // fails for another type than an object
	return nil
}

// fileData is the bytes of a file, in JSON as base64. It is nil if there are none, and otherwise empty if they can't be
// read.
type fileData []byte

// UnmarshalJSON implements [json.Unmarshaler]. It never fails.
func (d *fileData) UnmarshalJSON(b []byte) error {
	var data []byte
	switch err := json.Unmarshal(b, &data); {
	case err != nil:
		*d = fileData{}
	case len(data) == 0:
		*d = nil
	default:
		*d = data
	}
	return nil
}

// InboundChoice is a button or a row of a list that a person has pressed.
type InboundChoice struct {
	ID    httpcall.Word `json:"id"`
	Title httpcall.Word `json:"title"`
}

// UnmarshalJSON implements [json.Unmarshaler]. It never fails.
func (c *InboundChoice) UnmarshalJSON(b []byte) error {
	type fields InboundChoice
	*c = InboundChoice{}
	_ = strictjson.UnmarshalText(b, (*fields)(c)) // fails for another type than an object
	return nil
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

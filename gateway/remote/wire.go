package remote

import (
	"encoding/json"
	"time"

	"example.com/griot/gateway"
)

// Protocol is the version that this driver speaks.
const Protocol = 1

// How a gateway takes media.
const (
	MediaByBytes = "bytes"
	MediaByLink  = "link"
)

// Info is the answer to GET /info (docs/gateway-protocol.md §3).
type Info struct {
	Protocol     int               `json:"protocol"`
	Deduplicates bool              `json:"deduplicates"` // a reference is delivered at most once
	Receipts     bool              `json:"receipts"`
	Groups       bool              `json:"groups"`
	Pairing      bool              `json:"pairing"`
	Replies      bool              `json:"replies"` // a message may answer another
	Read         bool              `json:"read"`    // it takes read marks
	Media        string            `json:"media"`   // "bytes", "link", or "": none
	Pace         Pace              `json:"pace"`
	Connections  []ConnectionEvent `json:"connections"` // current states
}

// Pace is how fast the gateway wants to be asked; milliseconds, 0 without a limit.
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

// ReplyTo is the message that a message answers: one of ours by its Reference, or one of the person's by the provider's ID.
type ReplyTo struct {
	Reference string `json:"reference,omitempty"`
	ID        string `json:"id,omitempty"`
	Text      string `json:"text,omitempty"` // how it begins
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
	To      string    `json:"to"`
	IDs     []string  `json:"ids"`
	At      time.Time `json:"at"` // UTC
}

// Accepted is the answer to POST /send, with status 200, and to GET /messages/{reference} (§5).
type Accepted struct {
	Reference  string `json:"reference"` // repeats the request's
	ProviderID string `json:"providerId"`
	Recipient  string `json:"recipient"` // the recipient's id at the provider, E.164 digits; empty: the address as it was given
}

// Refusal is the body of every other answer (§6).
type Refusal struct {
	Error Failure `json:"error"`
}

// Failure is the reason of a refusal.
type Failure struct {
	Class        gateway.Class `json:"class"`
	Code         string        `json:"code"`         // snake_case
	ProviderCode string        `json:"providerCode"` // the provider's own, if there is one
	RetryAfter   int           `json:"retryAfter"`   // seconds
}

// GroupList is the answer to GET /groups (§7).
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

// PairProgress is the answer to POST, GET, and DELETE /pair.
type PairProgress struct {
	State     gateway.PairingState `json:"state"`
	QR        string               `json:"qr,omitempty"`
	Code      string               `json:"code,omitempty"`
	ExpiresAt time.Time            `json:"expiresAt,omitzero"`
	Reason    string               `json:"reason,omitempty"` // with failed
}

// Event is the body of POST /events; the member that its Type names is there (§8).
type Event struct {
	Type       string           `json:"type"` // receipt, inbound, connection
	Receipt    *ReceiptEvent    `json:"receipt,omitempty"`
	Inbound    *InboundEvent    `json:"inbound,omitempty"`
	Connection *ConnectionEvent `json:"connection,omitempty"`
}

// ReceiptEvent is a delivery report.
type ReceiptEvent struct {
	Reference  string                `json:"reference"`
	ProviderID string                `json:"providerId"`
	Status     gateway.ReceiptStatus `json:"status"`
	At         time.Time             `json:"at"`
	Error      *Failure              `json:"error,omitempty"` // with failed
}

// InboundEvent is a message from a person.
type InboundEvent struct {
	ID          string              `json:"id"` // the same when it is repeated
	Channel     gateway.Channel     `json:"channel"`
	From        string              `json:"from"`
	To          string              `json:"to"`
	DisplayName string              `json:"displayName"`
	Kind        gateway.InboundType `json:"kind"`
	Text        string              `json:"text"`
	MediaURL    string              `json:"mediaUrl"` // as Media's URL
	MIMEType    string              `json:"mimeType"`
	FileName    string              `json:"fileName"`
	Media       *InboundMedia       `json:"media,omitempty"`
	Choice      *InboundChoice      `json:"choice,omitempty"`    // the button or row that was pressed; Text is then its title, or empty
	Response    json.RawMessage     `json:"response,omitempty"`  // what a form was answered with, an object
	ReplyTo     string              `json:"replyTo,omitempty"`   // the reference of our message that it answers
	ReplyToID   string              `json:"replyToId,omitempty"` // the provider's id of the message that it answers, where the reference is not known
	At          time.Time           `json:"at"`
}

// InboundMedia is an attachment of a message from a person: Data, or a URL to fetch it from, or why there is neither.
type InboundMedia struct {
	URL      string `json:"url,omitempty"`     // https, or a path at the gateway
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

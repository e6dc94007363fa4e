package gatewaytest

import (
	"context"
	"errors"
	"slices"

	"example.com/griot/gateway"
	"example.com/griot/internal/waittest"
)

// Subject is a driver opened against a provider that has received nothing yet.
type Subject struct {
	*Environment // what the driver was opened with

	Sender  gateway.Sender
	Channel gateway.Channel // the channel to exercise
	From    string          // a sender that the provider accepts
	To      []string        // recipients that the provider accepts; at least one
	Secrets []string        // credentials that the driver was opened with

	// Ready waits until the connection that Run maintains is up. It is nil if sending needs no connection.
	Ready func(ctx context.Context) error

	Provider Provider
}

// Provider scripts the provider behind a driver. Each script applies to the following sends, until the next script. A
// new provider accepts messages. Refusals should repeat the recipient and the text, as real ones do. An optional
// script is nil if this kind of gateway does not have the outcome.
type Provider struct {
	// Accept makes the provider accept and acknowledge every message. If the driver has receipts, the provider also
	// reports each message as delivered, until the driver accepts the report.
	Accept func()

	Refuse          func() // refuse the message permanently
	RefuseForNow    func() // refuse the message temporarily
	RefuseRecipient func() // refuse the recipient
	RefuseLogin     func() // refuse the driver's credentials; optional

	DropBefore func() // lose the connection before any part of the message is accepted; optional
	DropAfter  func() // lose the connection after receiving the whole message, before the response

	HangBefore func() Hang // stop responding before any part of the message is accepted; optional
	HangAfter  func() Hang // stop responding after receiving the whole message

	// Received lists the messages received so far, in any order. It includes a message before the message is acknowledged.
	Received func() []Received

	// Groups lists the groups that Subject.From belongs to, in the driver's order. It is required for a gateway.GroupLister
	// on WhatsApp.
	Groups func() []gateway.Group

	// LinkPhone scans or types the displayed code of a pairing, with the phone of Subject.From. It is required for a
	// gateway.Pairer that pairs.
	LinkPhone func(shown string)

	// ReadMarks lists the IDs of the messages for which the provider got a read receipt. If a receipt contains
	// several messages, only the last is required. ReadMarks is required for a gateway.Reader with SendInbound.
	ReadMarks func() []string

	// HideNumber hides the number of one of Subject.To, on WhatsApp, and returns the person's ID. From then on, the
	// provider shows the ID alone in the person's messages, and in the receipts of messages to the ID. It is optional, and
	// requires SendInbound.
	HideNumber func(number string) (id string)

	// SendInbound delivers a person's message to the driver until the driver accepts it. It is optional.
	SendInbound func(in gateway.Inbound)
}

// Hang controls a provider that does not respond.
type Hang struct {
	Reached <-chan struct{} // closed, or sent to, once a send is delayed
	Release func()          // responds to the delayed sends; can be called twice
}

// Received is a message as the provider received it.
type Received struct {
	Ref        string // our reference, if the provider gets it
	ProviderID string // the id that the provider gave it, if any
	To         string // the number, the address, or the ID that the message was sent to
	Text       string // decoded; trailing white space is ignored
	Subject    string // of email
	HTML       string // of email
	Media      *Attachment
	ReplyTo    string // our reference or the provider's ID of the message that this one replies to; empty: none
}

// Attachment is a received attachment.
type Attachment struct {
	SHA256   string // of the data, see [SHA256]
	MIMEType string // if the provider gets it
	FileName string // if the provider gets it
}

// problem returns an error that names a missing field of s, or nil.
func (s Subject) problem() error {
	switch {
	case s.Environment == nil || s.Sender == nil:
		return errors.New("a Subject needs an Environment and a Sender")
	case s.Channel == "" || s.From == "" || len(s.To) == 0 || slices.Contains(s.To, ""):
		return errors.New("a Subject needs a Channel, From, and To")
	case s.Provider.Accept == nil || s.Provider.Refuse == nil || s.Provider.RefuseForNow == nil || s.Provider.RefuseRecipient == nil ||
		s.Provider.DropAfter == nil || s.Provider.HangAfter == nil || s.Provider.Received == nil:
		return errors.New("a Provider needs every script that isn't marked optional")
	case listsGroups(s) && s.Provider.Groups == nil:
		return errors.New("a provider of a GroupLister needs Groups")
	case marksRead(s) && s.Provider.ReadMarks == nil:
		return errors.New("a provider of a Reader needs ReadMarks")
	case hidesNumbers(s) && s.Provider.SendInbound == nil:
		return errors.New("a provider that hides numbers needs SendInbound")
	case pairs(s) && s.Provider.LinkPhone == nil:
		return errors.New("a provider of a driver that pairs needs LinkPhone")
	case s.Provider.RefuseLogin != nil && (len(s.Secrets) == 0 || slices.Contains(s.Secrets, "")):
		return errors.New("a driver with a login needs Secrets")
	}
	return nil
}

// ready waits for the connection if there is one.
func (s Subject) ready() error {
	if s.Ready == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), waittest.Limit)
	defer cancel()
	return s.Ready(ctx)
}

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

	// Ready waits until the connection that Run keeps is up; nil when sending needs none.
	Ready func(ctx context.Context) error

	Provider Provider
}

// Provider scripts the provider behind a driver. Each script holds for the sends that
// follow it, until the next script; a new provider accepts. Refusals should repeat the
// recipient and the text, as real ones do. An optional script is nil where the kind of
// gateway has no such outcome.
type Provider struct {
	// Accept: every message is taken and acknowledged. With a driver that has receipts,
	// the provider also reports each one delivered, until the driver accepts the report.
	Accept func()

	Refuse          func() // the message, for good
	RefuseForNow    func() // the message, for now
	RefuseRecipient func() // the recipient
	RefuseLogin     func() // the driver's credentials; optional

	DropBefore func() // lose the connection before any of the message is taken; optional
	DropAfter  func() // lose the connection when the whole message is in, before the answer

	HangBefore func() Hang // stop answering before any of the message is taken; optional
	HangAfter  func() Hang // stop answering when the whole message is in

	// Received lists the messages received so far, in any order. It has a message before that is acknowledged.
	Received func() []Received

	// Groups lists the groups that Subject.From belongs to, in the driver's order. It is required for a gateway.GroupLister
	// on WhatsApp.
	Groups func() []gateway.Group

	// LinkPhone scans or types what a pairing shows, with the phone of Subject.From. It is required for a gateway.Pairer that pairs.
	LinkPhone func(shown string)

	// ReadMarks lists the ids of people's messages of which the provider was told that they were read. Of several that are
	// told at once, the last suffices. It is required for a gateway.Reader with SendInbound.
	ReadMarks func() []string

	// SendInbound delivers a person's message to the driver, until the driver accepts it. Optional.
	SendInbound func(in gateway.Inbound)
}

// Hang is a provider that doesn't answer.
type Hang struct {
	Reached <-chan struct{} // closed, or sent to, once a send is kept waiting
	Release func()          // answers the waiting sends; may be called twice
}

// Received is a message as the provider received it.
type Received struct {
	Ref        string // our reference, if the provider gets it
	ProviderID string // the id that the provider gave it, if any
	To         string
	Text       string // decoded; white space at the end is ignored
	Subject    string // email
	HTML       string // email
	Media      *Attachment
	ReplyTo    string // our reference or the provider's id of the message that it answers; empty: none
}

// Attachment is a received attachment.
type Attachment struct {
	SHA256   string // of its bytes, see [SHA256]
	MIMEType string // if the provider gets it
	FileName string // if the provider gets it
}

// problem returns what s lacks, or nil.
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
	case pairs(s) && s.Provider.LinkPhone == nil:
		return errors.New("a provider of a driver that pairs needs LinkPhone")
	case s.Provider.RefuseLogin != nil && (len(s.Secrets) == 0 || slices.Contains(s.Secrets, "")):
		return errors.New("a driver with a login needs Secrets")
	}
	return nil
}

// ready waits for the connection, where there is one.
func (s Subject) ready() error {
	if s.Ready == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), waittest.Limit)
	defer cancel()
	return s.Ready(ctx)
}

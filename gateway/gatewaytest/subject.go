package gatewaytest

import (
	"context"
	"errors"
	"slices"

	"griot/gateway"
)

// Subject is a driver opened against a far end which has received nothing yet.
type Subject struct {
	*Surroundings // what the driver was opened with

	Sender  gateway.Sender
	Channel gateway.Channel // the channel to exercise
	From    string          // a sender that the far end accepts
	To      []string        // recipients that the far end accepts; at least one
	Secrets []string        // credentials that the driver was opened with

	// Ready waits until the connection that Run keeps is up, or up again; nil when sending needs none.
	Ready func(ctx context.Context) error

	Far FarEnd
}

// FarEnd scripts what stands behind a driver. Each script holds for the sends that
// follow it, until the next script; a new far end accepts. Refusals should repeat
// the recipient and the text, as real ones do. An optional script is nil where the
// kind of gateway knows no such thing.
type FarEnd struct {
	// Accept: every message is taken and acknowledged. A far end of a driver with
	// receipts also reports each one delivered, again and again until that is taken.
	Accept func()

	Refuse          func() // this message, for good
	RefuseForNow    func() // this message, for the moment
	RefuseRecipient func() // whoever it is for
	RefuseLogin     func() // the driver's credentials; optional

	DropBefore func() // lose the connection before any of the message is taken; optional
	DropAfter  func() // lose the connection when the whole message is in, before the answer

	HangBefore func() Hang // stop answering before any of the message is taken; optional
	HangAfter  func() Hang // stop answering when the whole message is in

	// Received tells what has come in so far, in any order. A message is in it before it is acknowledged.
	Received func() []Received

	// Groups tells which groups Subject.From belongs to, in the order in which the driver lists them. Where the driver
	// is a gateway.GroupLister on WhatsApp it has to be there.
	Groups func() []gateway.Group

	// Say makes a person write: In.From to In.To. Like a receipt, it is brought again until it is taken. Optional.
	Say func(in gateway.Inbound)
}

// Hang is a far end that has stopped answering.
type Hang struct {
	Reached <-chan struct{} // closed, or sent to, once a send is kept waiting
	Release func()          // lets go of whatever it keeps waiting
}

// Received is a message as the far end has it.
type Received struct {
	Ref        string // our reference, if the far end is told it
	ProviderID string // the id that the far end gave it, if any
	To         string
	Text       string // decoded; white space at the end doesn't count
	Subject    string // e-mail
	HTML       string // e-mail
	Media      *Attachment
}

// Attachment is what came with a message.
type Attachment struct {
	SHA256   string // of its bytes, see [SHA256]
	MIMEType string // if the far end is told it
	FileName string // if the far end is told it
}

// problem returns what is missing for s to be exercised.
func (s Subject) problem() error {
	switch {
	case s.Surroundings == nil || s.Sender == nil:
		return errors.New("a Subject needs Surroundings and a Sender")
	case s.Channel == "" || s.From == "" || len(s.To) == 0 || slices.Contains(s.To, ""):
		return errors.New("a Subject needs a Channel, From and To")
	case s.Far.Accept == nil || s.Far.Refuse == nil || s.Far.RefuseForNow == nil || s.Far.RefuseRecipient == nil ||
		s.Far.DropAfter == nil || s.Far.HangAfter == nil || s.Far.Received == nil:
		return errors.New("a FarEnd needs every script that isn't marked optional")
	case listsGroups(s) && s.Far.Groups == nil:
		return errors.New("a far end of a driver that lists groups has Groups")
	case s.Far.RefuseLogin != nil && (len(s.Secrets) == 0 || slices.Contains(s.Secrets, "")):
		return errors.New("a driver with a login has Secrets")
	}
	return nil
}

// ready waits for the connection, where there is one.
func (s Subject) ready() error {
	if s.Ready == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return s.Ready(ctx)
}

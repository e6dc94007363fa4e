package gateway

import (
	"context"
	"time"

	"example.com/griot/internal/phone"
)

// A PersonID is what a gateway reports about a person besides the phone number, which WhatsApp hides for people with a
// username. The zero value means that the gateway reports nothing.
type PersonID struct {
	// Portfolio is the scope of ID and ParentID: a name from the gateway's settings, "waba:" and the ID of a WhatsApp
	// Business Account, or "gateway:" and the gateway's name. Drivers can leave it empty; the [Set] then sets the last form.
	Portfolio string
	ID        string // a business-scoped user ID or a LID (whatsappid.ID); empty: none
	ParentID  string // the ID in the parent portfolio; empty: none
	Username  string // without @; changes at any time and proves nothing; empty: none
}

// A NumberSource is the reason why the number of an inbound message is known.
type NumberSource string

// The sources of numbers.
const (
	NumberShown  NumberSource = "shown"  // the message has it
	NumberPaired NumberSource = "paired" // an earlier report had it with the same ID
	NumberShared NumberSource = "shared" // the person has shared it on request
)

// Address returns the address of the person who wrote the message: the number, or the ID if the number is unknown, or
// the local sender ([phone.Local]). It is empty if the gateway reported none.
func (in *Inbound) Address() string {
	switch {
	case in.From != "":
		return in.From
	case in.Person.ID == "" && in.Local != "":
		return phone.Local(in.Local)
	}
	return in.Person.ID
}

// Key returns a key that is different for different people, for limits: the number, or the ID with its portfolio if the number
// is unknown, or the local sender. It is empty if the gateway reported none.
func (in *Inbound) Key() string {
	if in.From != "" || in.Person.ID == "" {
		return in.Address()
	}
	return in.Person.Portfolio + " " + in.Person.ID
}

// A ChangeKind is the kind of a [Change].
type ChangeKind string

// The kinds of changes.
const (
	NumberChanged     ChangeKind = "number_changed"     // the person has another number, and thereby another ID
	IDChanged         ChangeKind = "id_changed"         // the person has another ID; the number is unknown
	PairKnown         ChangeKind = "pair_known"         // the gateway knows that a number and an ID belong to one person
	MessageEdited     ChangeKind = "message_edited"     // the person has edited a message
	MessageDeleted    ChangeKind = "message_deleted"    // the person has deleted a message for everyone
	MessageUnreadable ChangeKind = "message_unreadable" // a message has arrived that the gateway can't read yet; it might follow
	MarketingStopped  ChangeKind = "marketing_stopped"  // the person wants no marketing messages
	MarketingResumed  ChangeKind = "marketing_resumed"  // the person wants marketing messages again
	MessageSent       ChangeKind = "message_sent"       // the owner of our number has written to the person on another device
)

// Known reports whether k is one of the kinds above.
func (k ChangeKind) Known() bool {
	switch k {
	case NumberChanged, IDChanged, PairKnown, MessageEdited, MessageDeleted, MessageUnreadable, MarketingStopped, MarketingResumed, MessageSent:
		return true
	}
	return false
}

// A Change is a report about a person, or about one of a person's messages, that is not a message itself.
type Change struct {
	ID        string // the gateway's ID of the report, the same if it is delivered again; empty: none
	Gateway   string // the gateway's name; set by the [Set], not by drivers
	Channel   Channel
	Kind      ChangeKind
	To        string   // our number, E.164 digits
	From      string   // the person's number, E.164 digits, after the change; empty: unknown
	Person    PersonID // after the change
	OldNumber string   // of NumberChanged: the number before, E.164 digits; empty: unknown
	OldID     string   // of NumberChanged and IDChanged: the ID before; empty: unknown
	OldParent string   // of NumberChanged and IDChanged: the parent ID before; empty: unknown
	MessageID string   // of MessageEdited, MessageDeleted, and MessageSent: the gateway's ID of the message
	Content   *Inbound // of MessageEdited and MessageSent: the message's new content (Type, Text, ReplyTo, and the fields of attachments)
	Own       bool     // of MessageEdited and MessageDeleted: it is a message of MessageSent, which its writer has changed
	At        time.Time
}

// A NumberRequest asks a person whose number is hidden to share it.
type NumberRequest struct {
	Ref  string // our reference
	From string // our number, E.164 digits
	ToID string // the person's ID
	Text string // the text above WhatsApp's own button
}

// NumberAsker is implemented by drivers that can ask a person to share their number. The response is an inbound message
// whose [Inbound.Shared] is set.
type NumberAsker interface {
	// AskForNumber sends the request, once. The provider might charge for it. The error is an *[Error].
	AskForNumber(ctx context.Context, r *NumberRequest) (Ack, error)
}

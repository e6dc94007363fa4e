package message

import (
	"cmp"
	"time"

	"example.com/griot/gateway"
)

// A Note is the reason of a step: its kind and the kind's value. Its sentence is made where it is shown.
type Note struct {
	Kind  NoteKind        `json:"why,omitempty"`
	To    gateway.Channel `json:"to,omitempty"`    // of [NoteLeft], [NoteLate], and [NoteStays]
	Until int64           `json:"until,omitempty"` // of [NoteWarmUp], in Unix milliseconds
	Text  string          `json:"note,omitempty"`  // of [NoteForm]; without a kind, the sentence that an earlier version stored
}

// A NoteKind is a stored name of a kind of note. A newer version can have stored one that this version doesn't know.
type NoteKind string

// The kinds of notes.
const (
	NoteNoNumber NoteKind = "no_number" // routes leave out SMS, because the recipient is a WhatsApp ID
	NoteForm     NoteKind = "form"      // the gateway sent the message in another form: Text, of [gateway.Ack]
	NoteRetry    NoteKind = "retry"     // the gateway didn't accept the message, which waits for another attempt
	NoteUnknown  NoteKind = "unknown"   // the gateway might have accepted the message
	NoteUnseen   NoteKind = "unseen"    // the gateway never received the message, which is sent again
	NoteLeft     NoteKind = "left"      // the route failed, and the next one is on the channel To
	NoteLate     NoteKind = "late"      // the message was not delivered in time, and the next route is on the channel To
	NoteStays    NoteKind = "stays"     // no route is left, and the message stays on the channel To, by which it was sent
	NoteMoved    NoteKind = "moved"     // the sender was removed, and the message has another one
	NoteWarmUp   NoteKind = "warm_up"   // the sender warms up, and the message waits until Until
	NoteReceipt  NoteKind = "receipt"   // a gateway has reported the status
)

// sentences contains the beginning of each kind's sentence, which ends with the value.
var sentences = map[NoteKind]string{
	NoteNoNumber: "no SMS: the recipient's number is unknown",
	NoteForm:     "",
	NoteRetry:    "retry",
	NoteUnknown:  "outcome unknown",
	NoteUnseen:   "its gateway has not seen it",
	NoteLeft:     "left for ",
	NoteLate:     "not delivered in time; left for ",
	NoteStays:    "no other way; it stays with ",
	NoteMoved:    "its sender was removed; moved to another",
	NoteWarmUp:   "its sender warms up, and has sent what it may today; waits until ",
	NoteReceipt:  "receipt",
}

// Known reports whether the note has a kind that this version knows. It is false for a step without a note, and for a
// sentence that an earlier version stored.
func (n Note) Known() bool {
	_, ok := sentences[n.Kind]
	return ok
}

// Sentence returns the note in English, or "" for a step without a note. For an unknown kind, it returns the stored
// text or the kind's name.
func (n Note) Sentence() string {
	begin, known := sentences[n.Kind]
	switch {
	case !known:
		return cmp.Or(n.Text, string(n.Kind))
	case n.Kind == NoteWarmUp:
		return begin + time.UnixMilli(n.Until).UTC().Format(time.RFC3339)
	}
	return begin + string(n.To) + n.Text
}

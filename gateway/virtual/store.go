package virtual

import (
	"context"
	"time"

	"example.com/griot/gateway"
)

// direction is a message's direction from the phone's side.
type direction string

const (
	received direction = "in"
	written  direction = "out"
)

// status is a message's status. A received message with statusSent waits for its phone to be online. A written one waits for the sink.
type status string

const (
	statusSent      status = "sent"
	statusDelivered status = "delivered"
	statusRead      status = "read"
)

// message is a message in the list of a phone, a mailbox, or a group.
type message struct {
	id        string
	owner     string // the key of the address in whose list it is
	direction direction
	channel   gateway.Channel
	from, to  string
	typ       gateway.InboundType // of a written message; for a received one, its attachment shows the type
	text      string
	html      string
	subject   string
	media     *media // nil: none
	forms     forms  // received
	reply     reply
	author    author   // written
	revised   revision // written
	sensitive bool
	name      string // written: the name of the person
	ref       string // received: the sender's reference
	at        time.Time
	status    status
	noReceipt bool // received: no receipt when it arrives
}

// author is what a message tells about the person who wrote it. The zero value is a person with only a number.
type author struct {
	PersonID string `json:",omitempty"`
	Username string `json:",omitempty"`
	Hidden   bool   `json:",omitempty"` // the message doesn't have the number
	Shared   bool   `json:",omitempty"` // the message is the press of a request's button
}

// revision is what the person did to a message after sending it.
type revision string

const (
	edited  revision = "edited"
	deleted revision = "deleted" // without content
)

// peer returns our number in a message of a phone.
func (m *message) peer() string {
	if m.direction == received {
		return m.from
	}
	return m.to
}

// hidden reports whether the phone does not have the message yet.
func (m *message) hidden() bool { return m.direction == received && m.status == statusSent }

// unread reports whether the phone has the message and it is not read.
func (m *message) unread() bool { return m.direction == received && m.status == statusDelivered }

// kind returns the message's type.
func (m *message) kind() gateway.InboundType {
	if m.typ != "" {
		return m.typ
	}
	return typeOf(m.media)
}

func (m *message) inbound() gateway.Inbound {
	in := gateway.Inbound{ID: m.id, Channel: m.channel, From: m.from, To: m.to, DisplayName: m.name, Type: m.kind(), Text: m.text, At: m.at}
	in.Choice, in.ReplyTo = m.reply.Choice, m.reply.Quoted
	in.Person = gateway.PersonID{ID: m.author.PersonID, Username: m.author.Username}
	if m.author.Hidden {
		in.From = ""
	}
	if m.author.Shared {
		in.Shared = m.from
	}
	if m.media != nil {
		in.MediaURL, in.MIMEType, in.FileName = m.media.URL, m.media.MIME, m.media.Name
	}
	return in
}

// receipt returns a receipt. Its recipient is the one that a WhatsApp message was sent to, see [people.complete].
func (m *message) receipt(s gateway.ReceiptStatus, at time.Time) gateway.Receipt {
	r := gateway.Receipt{Ref: m.ref, ProviderID: m.id, Status: s, At: at}
	if m.channel == gateway.WhatsApp {
		r.Recipient = m.to
	}
	return r
}

// attempt is one Send, without the content.
type attempt struct {
	ref      string
	at       time.Time
	channel  gateway.Channel
	from, to string
	outcome  outcome
}

// activity is a phone's entry on the page.
type activity struct {
	address string
	unread  int
	lastAt  time.Time // zero without messages
}

// queued is an item that waits for the sink. Later items have higher numbers.
type queued[T any] struct {
	seq  int64
	item T
}

// store contains the phones' messages, in a file or in memory. Each change is atomic, and stored when the method returns.
type store interface {
	// deliver stores a received message with its attempt and, unless the message is hidden, its receipt. It returns
	// the message's ID. If once is set and the reference has been delivered before, it stores only the attempt, as a
	// duplicate, and returns the first message's ID. The caller doesn't use m afterward.
	deliver(ctx context.Context, m *message, att attempt, once bool) (id string, err error)
	// first returns the ID of the first message that was delivered with a reference.
	first(ctx context.Context, ref string) (id string, known bool, err error)
	// record stores an attempt that delivered nothing.
	record(ctx context.Context, att attempt) error
	// release delivers an address's hidden messages, and queues their receipts.
	release(ctx context.Context, address string, at time.Time) error
	// read marks a message as read. The first time it queues the receipt on WhatsApp.
	read(ctx context.Context, address, id string, at time.Time) (found bool, err error)
	// markRead marks those written messages as read that the sink has. waiting reports whether some are still missing.
	markRead(ctx context.Context, address string, ids []string) (waiting bool, err error)
	// write stores a written message, which waits for the sink under seq.
	write(ctx context.Context, m *message) (seq int64, err error)
	// revise changes a message of an address and queues a change for the sink, unless apply returns an error, which
	// revise returns. apply can be called twice, with a new copy of the message.
	revise(ctx context.Context, address, id string, apply func(m *message) (gateway.Change, error)) (found bool, err error)

	people(ctx context.Context) ([]person, error)
	// changePeople stores people by their numbers, and queues changes for the sink.
	changePeople(ctx context.Context, list []person, changes []gateway.Change) error

	messages(ctx context.Context, address string) ([]message, error)
	// attempts returns the attempts of a message's references, oldest first. See [continues].
	attempts(ctx context.Context, ref string) ([]attempt, error)
	// recent returns the n addresses with the newest messages.
	recent(ctx context.Context, n int) ([]activity, error)
	activity(ctx context.Context, address string) (activity, error)

	receipts(ctx context.Context, after int64, limit int) ([]queued[gateway.Receipt], error)
	removeReceipts(ctx context.Context, seqs []int64) error
	changes(ctx context.Context, after int64, limit int) ([]queued[gateway.Change], error)
	removeChanges(ctx context.Context, seqs []int64) error
	inbound(ctx context.Context, after int64, limit int) ([]queued[gateway.Inbound], error)
	markInboundDelivered(ctx context.Context, seqs []int64) error

	// option returns the value of an option, or otherwise if it has never been set.
	option(ctx context.Context, name string, otherwise bool) (bool, error)
	setOption(ctx context.Context, name string, value bool) error

	close() error
}

// finalOutcome returns the outcome to record. again means that the reference was delivered before.
func (a attempt) finalOutcome(again bool) outcome {
	if again && a.outcome != lostAck {
		return duplicate
	}
	return a.outcome
}

package virtual

import (
	"context"
	"time"

	"griot/gateway"
)

// direction is a message's as the phone sees it.
type direction string

const (
	received direction = "in"
	written  direction = "out"
)

// status says how far a message has come. A received one that is only sent waits for its phone to be online; a
// written one waits for the sink to take it.
type status string

const (
	statusSent      status = "sent"
	statusDelivered status = "delivered"
	statusRead      status = "read"
)

// message is a message in the list of a phone, a mailbox or a group.
type message struct {
	id        string
	owner     string // the key of the address whose list it is in
	direction direction
	channel   gateway.Channel
	from, to  string
	typ       gateway.InboundType // written; of a received one, its attachment tells
	text      string
	html      string
	subject   string
	media     *media  // nil: none
	forms     forms   // received
	answers   answers // written
	sensitive bool
	name      string // written: what the person is called
	ref       string // received: the sender's reference
	at        time.Time
	status    status
	quiet     bool // received: no receipt when it arrives
}

// hidden: the phone doesn't have it yet.
func (m *message) hidden() bool { return m.direction == received && m.status == statusSent }

// unread: the phone has it, and nobody has looked at it.
func (m *message) unread() bool { return m.direction == received && m.status == statusDelivered }

// kind is the message's type, whoever wrote it.
func (m *message) kind() gateway.InboundType {
	if m.typ != "" {
		return m.typ
	}
	return typeOf(m.media)
}

func (m *message) inbound() gateway.Inbound {
	in := gateway.Inbound{ID: m.id, Channel: m.channel, From: m.from, To: m.to, DisplayName: m.name, Type: m.kind(), Text: m.text, At: m.at}
	in.Choice, in.ReplyTo = m.answers.Choice, m.answers.Quoted
	if m.media != nil {
		in.MediaURL, in.MIMEType, in.FileName = m.media.URL, m.media.MIME, m.media.Name
	}
	return in
}

func (m *message) receipt(s gateway.ReceiptStatus, at time.Time) gateway.Receipt {
	return gateway.Receipt{Ref: m.ref, ProviderID: m.id, Status: s, At: at}
}

// attempt is what one Send was asked to carry, without the content.
type attempt struct {
	ref      string
	at       time.Time
	channel  gateway.Channel
	from, to string
	outcome  outcome
}

// activity is what a phone's line on the page says.
type activity struct {
	address string
	unread  int
	lastAt  time.Time // zero without messages
}

// queued is something that waits for the sink. What came later has a higher seq.
type queued[T any] struct {
	seq  int64
	item T
}

// store keeps the phones' messages: in a file or in memory. Each change is whole, and lasts once the method returns.
type store interface {
	// deliver stores a received message with its attempt and, unless the message is hidden, its receipt. It returns the
	// message's id. When once is set and the reference has been delivered before, only the attempt is stored, as a
	// duplicate, and the id is the first one's.
	deliver(ctx context.Context, m *message, try attempt, once bool) (id string, err error)
	// first returns the id of the message that a reference was first delivered as.
	first(ctx context.Context, ref string) (id string, known bool, err error)
	// record stores an attempt that delivered nothing.
	record(ctx context.Context, try attempt) error
	// release shows an address what is hidden from it, and queues the receipts.
	release(ctx context.Context, address string, at time.Time) error
	// read marks a message as read; the first time, on WhatsApp, it queues the receipt.
	read(ctx context.Context, address, id string, at time.Time) (found bool, err error)
	// write stores a written message, which waits for the sink under seq.
	write(ctx context.Context, m *message) (seq int64, err error)

	messages(ctx context.Context, address string) ([]message, error)
	// attempts returns the attempts of a reference and of those that continue it, oldest first.
	attempts(ctx context.Context, ref string) ([]attempt, error)
	// recent returns the n addresses with the newest messages.
	recent(ctx context.Context, n int) ([]activity, error)
	activity(ctx context.Context, address string) (activity, error)

	receipts(ctx context.Context, after int64, limit int) ([]queued[gateway.Receipt], error)
	settleReceipts(ctx context.Context, seqs []int64) error
	inbound(ctx context.Context, after int64, limit int) ([]queued[gateway.Inbound], error)
	settleInbound(ctx context.Context, seqs []int64) error

	// option returns the value of an option, and otherwise where it has never been set.
	option(ctx context.Context, name string, otherwise bool) (bool, error)
	setOption(ctx context.Context, name string, value bool) error

	close() error
}

// settledOutcome is what the attempt is recorded as once it is known whether the message was there already.
func (a attempt) settledOutcome(again bool) outcome {
	if again && a.outcome != lostAck {
		return duplicate
	}
	return a.outcome
}

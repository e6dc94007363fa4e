package counts

import (
	"math"
	"strconv"
	"strings"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/messaging/message"
)

// A Kind selects the messages that a counter counts.
type Kind string

// The kinds. The detail of Sent and Delivered is the class of the time until then, or empty if the time is unknown.
// The detail of Failed is the failure's code. The detail of Charged and Free is the category of the price.
const (
	Total     Kind = "total"
	Sent      Kind = "sent"      // a gateway accepted it, regardless of later events
	Delivered Kind = "delivered" // or read
	Read      Kind = "read"
	Failed    Kind = "failed"   // or expired
	Fallback  Kind = "fallback" // sent on another route than the first
	Charged   Kind = "charged"  // delivered, and the provider charges for it
	Free      Kind = "free"     // delivered, and the provider doesn't charge for it
)

const (
	classes    = 48                    // the last one has no upper bound and starts at 116 hours
	classFirst = 50 * time.Millisecond // the upper bound of class 0; each bound is √2 times the previous one
)

// class returns the class of a duration. A negative duration counts as 0, because a receipt's time comes from its gateway's clock.
func class(d time.Duration) int {
	if d < classFirst {
		return 0
	}
	return min(1+int(2*math.Log2(float64(d)/float64(classFirst))), classes-1)
}

// ClassTime returns the representative duration of a class, which is the detail of [Sent] and [Delivered]. It differs
// by at most 19 % from each duration of the class, unless that is below 50 ms. known is false for the empty detail.
func ClassTime(detail string) (d time.Duration, known bool) {
	n, err := strconv.Atoi(detail)
	if err != nil {
		return 0, false
	}
	if n == 0 {
		return classFirst / 2, true
	}
	return time.Duration(float64(classFirst) * math.Exp2(float64(n-1)/2+0.25)).Round(time.Millisecond), true
}

var sentKinds, deliveredKinds = kindsOf(Sent), kindsOf(Delivered)

// kindsOf returns a kind with each class as its detail.
func kindsOf(k Kind) (list [classes]string) {
	for i := range list {
		list[i] = string(k) + ":" + strconv.Itoa(i)
	}
	return list
}

// withTime returns the kind of a message that reached a state at a time. The zero time means that the time is unknown.
func withTime(k Kind, list *[classes]string, m *message.Message, at time.Time) string {
	if at.IsZero() {
		return string(k)
	}
	due := m.CreatedAt
	if m.ScheduledAt.After(due) {
		due = m.ScheduledAt
	}
	return list[class(at.Sub(due))]
}

// kinds returns the kinds of a message, each at its own index. A kind that does not apply is empty.
func kinds(m *message.Message) (list [7]string) {
	list[0] = string(Total)
	if m.Status == message.Sandbox {
		return list
	}
	delivered := m.Status == message.Delivered || m.Status == message.Read
	if delivered || m.Status == message.Sent || !m.SentAt.IsZero() {
		list[1] = withTime(Sent, &sentKinds, m, m.SentAt)
	}
	if delivered {
		list[2] = withTime(Delivered, &deliveredKinds, m, m.DeliveredAt)
	}
	if m.Status == message.Read {
		list[3] = string(Read)
	}
	if m.Status.HasFailed() {
		list[4] = string(Failed)
		if m.Failure != nil {
			list[4] += ":" + strings.Join(strings.Fields(m.Failure.Code), " ") // a tab or a line break would end the column
		}
	}
	if len(m.Tried) > 0 {
		list[5] = string(Fallback)
	}
	if delivered && m.Price != "" {
		list[6] = string(priceKind(m.Price)) + ":" + category(m.Price)
	}
	return list
}

func priceKind(p message.Price) Kind {
	if p.Charged() {
		return Charged
	}
	return Free
}

// OtherCategory is the category of all messages whose provider reported none, or one without a counter of its own.
const OtherCategory = "other"

// category returns the category in which a message is counted: one of a fixed list, so that no gateway can create counters.
func category(p message.Price) string {
	switch c := p.Category(); c {
	case "marketing", "marketing_lite", "utility", "authentication", "authentication_international", "service", "referral_conversion":
		return c
	}
	return OtherCategory
}

// A Log collects the changes of a transaction's messages. Its zero value is empty.
type Log struct {
	text strings.Builder
	last group
}

// Accepted adds a message that is stored for the first time and was not submitted to a gateway yet.
func (l *Log) Accepted(m *message.Message) { l.add(m, string(Total), 1) }

// Changed adds a change of a message's row.
func (l *Log) Changed(before, after *message.Message) {
	was, is := kinds(before), kinds(after)
	moved := before.Channel != after.Channel || (before.Status == message.Sandbox) != (after.Status == message.Sandbox)
	for i := range is {
		if moved || was[i] != is[i] {
			l.add(before, was[i], -1)
			l.add(after, is[i], 1)
		}
	}
}

// Text returns the collected changes in the format of the log.
func (l *Log) Text() string { return l.text.String() }

func (l *Log) add(m *message.Message, kind string, n int64) {
	if kind == "" {
		return
	}
	c := counter{m.AccountID, kind, group{m.CreatedAt.UnixMilli() / int64(hour/time.Millisecond), m.ProjectID, m.Channel, m.Status == message.Sandbox}}
	var line [128]byte
	l.text.Write(c.appendLine(line[:0], n, c.group == l.last))
	l.last = c.group
}

// A counter identifies a counter of an hour.
type counter struct {
	account string
	kind    string // with its detail
	group
}

// A group is the part of a counter's name that most messages of a batch share.
type group struct {
	at        int64 // hours since 1970
	project   string
	channel   gateway.Channel
	simulated bool
}

// appendLine appends the line of a change: its columns, separated by tabs. The group is left out if it is the same as
// in the previous line.
func (c *counter) appendLine(b []byte, n int64, sameGroup bool) []byte {
	b = append(append(b, c.account...), '\t')
	b = append(append(b, c.kind...), '\t')
	b = strconv.AppendInt(b, n, 10)
	if !sameGroup {
		b = strconv.AppendInt(append(b, '\t'), c.at, 10)
		b = append(append(b, '\t'), c.project...)
		b = append(append(b, '\t'), c.channel...)
		b = strconv.AppendInt(append(b, '\t'), db.Flag(c.simulated), 10)
	}
	return append(b, '\n')
}

// eachLine calls do for each line of appendLine.
func eachLine(text string, do func(counter, int64)) error {
	var c counter
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		c.account, line, _ = strings.Cut(line, "\t")
		c.kind, line, _ = strings.Cut(line, "\t")
		number, rest, hasGroup := strings.Cut(line, "\t")
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return err
		}
		if hasGroup {
			at, rest, _ := strings.Cut(rest, "\t")
			project, rest, _ := strings.Cut(rest, "\t")
			channel, simulated, _ := strings.Cut(rest, "\t")
			c.group = group{project: project, channel: gateway.Channel(channel), simulated: simulated == "1"}
			if c.at, err = strconv.ParseInt(at, 10, 64); err != nil {
				return err
			}
		}
		do(c, n)
	}
	return nil
}

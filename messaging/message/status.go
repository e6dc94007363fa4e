package message

import "slices"

// Status is where a message is in its life.
type Status string

// The statuses.
const (
	Scheduled Status = "SCHEDULED" // waits for its time
	Queued    Status = "QUEUED"    // waits for its turn, or for another attempt: no gateway is being called
	Sending   Status = "SENDING"   // a gateway is being called, or was, and the answer is not known
	Sent      Status = "SENT"      // the gateway has taken it
	Failed    Status = "FAILED"
	Expired   Status = "EXPIRED"
	Delivered Status = "DELIVERED"
	Read      Status = "READ"
	Canceled  Status = "CANCELED"
	Sandbox   Status = "SANDBOX" // never meant for a gateway
)

// next returns the statuses that may follow.
func (s Status) next() []Status {
	switch s {
	case Scheduled:
		return []Status{Queued, Sending, Canceled}
	case Queued:
		return []Status{Sending, Expired, Canceled}
	case Sending:
		return []Status{Sent, Queued, Failed, Expired, Delivered, Read}
	case Sent:
		return []Status{Delivered, Read, Failed}
	case Failed, Expired:
		return []Status{Delivered, Read} // late proof wins
	case Delivered:
		return []Status{Read}
	case Read, Canceled, Sandbox:
	}
	return nil
}

// Statuses lists the statuses in the order of their ranks.
func Statuses() []Status {
	return []Status{Scheduled, Queued, Sending, Sent, Failed, Expired, Delivered, Read, Canceled, Sandbox}
}

// Rank orders the statuses; a receipt applies only where it raises the rank.
func (s Status) Rank() int {
	switch s {
	case Scheduled:
		return 0
	case Queued:
		return 10
	case Sending:
		return 20
	case Sent:
		return 30
	case Failed, Expired:
		return 35
	case Delivered:
		return 40
	case Read:
		return 50
	case Canceled, Sandbox:
		return 60
	}
	return -1
}

// MayBecome reports whether the table has a step from s to next.
func (s Status) MayBecome(next Status) bool { return slices.Contains(s.next(), next) }

// HasFailed reports whether the message has ended without being delivered, as far as is known.
func (s Status) HasFailed() bool { return s == Failed || s == Expired }

// Open reports whether the message is still on its way to a gateway.
func (s Status) Open() bool { return s.Rank() >= 0 && s.Rank() < Sent.Rank() }

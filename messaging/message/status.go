package message

import "slices"

// A Status is the status of a message.
type Status string

// The statuses.
const (
	Scheduled Status = "SCHEDULED" // waiting for its time
	Queued    Status = "QUEUED"    // waiting for its turn or for another attempt; no gateway is being called
	Sending   Status = "SENDING"   // a gateway is being called, or was called with an unknown result
	Sent      Status = "SENT"      // the gateway has accepted it
	Failed    Status = "FAILED"
	Expired   Status = "EXPIRED"
	Delivered Status = "DELIVERED"
	Read      Status = "READ"
	Canceled  Status = "CANCELED"
	Sandbox   Status = "SANDBOX" // never sent to a gateway
)

// next returns the statuses that can follow.
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
		return []Status{Delivered, Read} // a late receipt takes precedence
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

// Rank orders the statuses. A receipt applies only if it raises the rank.
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

// MayBecome reports whether the table allows a step from s to next.
func (s Status) MayBecome(next Status) bool { return slices.Contains(s.next(), next) }

// HasFailed reports whether the message has failed or expired.
func (s Status) HasFailed() bool { return s == Failed || s == Expired }

// Open reports whether the message is scheduled, queued, or being submitted to a gateway.
func (s Status) Open() bool { return s.Rank() >= 0 && s.Rank() < Sent.Rank() }

package webhook

import (
	"context"
	"time"

	"example.com/griot/internal/id"
)

// Delivery is the state of an event's delivery to the endpoint.
type Delivery string

// The states.
const (
	Pending   Delivery = "pending"
	Delivered Delivery = "delivered"
	Failed    Delivery = "failed"   // after the last attempt; it can be sent again
	NotSent   Delivery = "not_sent" // the owner had no endpoint at the time of the event
)

// Valid reports whether d is one of the states.
func (d Delivery) Valid() bool {
	return d == Pending || d == Delivered || d == Failed || d == NotSent
}

// Stored is an event and the state of its delivery.
type Stored struct {
	ID, Type    string
	Body        string // the delivered bytes
	At          time.Time
	Delivery    Delivery
	Tries       int       // failed attempts of the schedule
	NextTryAt   time.Time // zero: none
	DeliveredAt time.Time
	FailedAt    time.Time
}

// Attempt is one attempt to deliver an event.
type Attempt struct {
	Version int64 // version of the claimed event; a later attempt has a higher one
	At      time.Time
	Status  int // 0: no response
	Latency time.Duration
	Answer  string // the first KiB
	Error   string // a [Class]; empty: delivered
}

// Filter selects events of an owner for a list. A zero field selects all.
type Filter struct {
	OwnerID  string
	Delivery Delivery
	Before   string // an event's id; selects only earlier events
	Limit    int
}

// Events lists an owner's events, newest first. A page can be short, or empty, if few events match the filter. It is
// the last page if next is empty. Otherwise next is [Filter.Before] of the next page.
func (e *Endpoints) Events(ctx context.Context, f *Filter) (page []*Stored, next string, err error) {
	return e.Queue.list(e.DB.Read(ctx), f)
}

// Event returns one of an owner's events, or nil.
func (e *Endpoints) Event(ctx context.Context, ownerID, eventID string) (*Stored, error) {
	if !ValidID(eventID) {
		return nil, nil //nolint:nilnil // no event is an answer
	}
	return e.Queue.find(e.DB.Read(ctx), ownerID, eventID)
}

// Attempts returns the latest hundred attempts to deliver an event, latest first.
func (e *Endpoints) Attempts(ctx context.Context, ownerID, eventID string) ([]*Attempt, error) {
	return e.Queue.attempts(e.DB.Read(ctx), ownerID, eventID)
}

// ValidID reports whether a text has the format of an event's id.
func ValidID(s string) bool {
	return len(s) == len(id.Event)+id.Length && s[:len(id.Event)] == id.Event && id.Valid(s[len(id.Event):])
}

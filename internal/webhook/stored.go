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
	NotSent   Delivery = "not_sent" // the owner had no endpoint when it happened
)

// Valid reports whether d is one of them.
func (d Delivery) Valid() bool {
	return d == Pending || d == Delivered || d == Failed || d == NotSent
}

// Stored is an event and the state of its delivery.
type Stored struct {
	ID, Type    string
	Body        string // the bytes that are delivered
	At          time.Time
	Delivery    Delivery
	Tries       int       // failed attempts of the schedule
	NextTryAt   time.Time // zero: none
	DeliveredAt time.Time
	FailedAt    time.Time
}

// Attempt is one attempt to deliver an event.
type Attempt struct {
	Version int64 // of the event that it had claimed: a later attempt has a higher one
	At      time.Time
	Status  int // 0: no answer
	Latency time.Duration
	Answer  string // the first KiB
	Error   string // a [Class]; empty: delivered
}

// Filter says which of an owner's events to list; a zero field selects all.
type Filter struct {
	OwnerID  string
	Delivery Delivery
	Before   string // an event's id: only earlier ones
	Limit    int
}

// Events lists an owner's events, newest first. A page may be short, or empty, when few events match the filter; it is
// the last when next is empty. Otherwise next is [Filter.Before] of the next page.
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

// Attempts lists the latest hundred attempts to deliver an event, the latest first.
func (e *Endpoints) Attempts(ctx context.Context, ownerID, eventID string) ([]*Attempt, error) {
	return e.Queue.attempts(e.DB.Read(ctx), ownerID, eventID)
}

// ValidID reports whether a text can be an event's id.
func ValidID(s string) bool {
	return len(s) == len(id.Event)+id.Length && s[:len(id.Event)] == id.Event && id.Valid(s[len(id.Event):])
}

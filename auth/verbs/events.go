package verbs

import (
	"context"
	"time"

	"example.com/griot/auth/tenant"
	"example.com/griot/internal/id"
	"example.com/griot/internal/verb"
)

// Event is an audit event, redacted as it is stored; unknown fields are omitted.
type Event struct {
	ID        string     `json:"id"`
	Type      string     `json:"type" col:"TYPE"`
	At        time.Time  `json:"at" col:"AT"` // of the latest event that the row stands for
	Actor     string     `json:"actor" col:"ACTOR"`
	ClientID  string     `json:"clientId,omitempty" col:"CLIENT"`
	LoginID   string     `json:"loginId,omitempty" col:"LOGIN"`
	Mode      string     `json:"mode,omitempty"`
	Result    string     `json:"result" col:"RESULT"`
	ErrorCode string     `json:"errorCode,omitempty" col:"ERROR"`
	Phone     string     `json:"phone,omitempty" col:"PHONE"`
	IP        string     `json:"ip,omitempty" col:"IP"`
	RequestID string     `json:"requestId,omitempty"`
	Count     int        `json:"count,omitempty" col:"COUNT"`      // number of events that the row stands for, if there are several
	FirstAt   *time.Time `json:"firstAt,omitempty" col:"FIRST AT"` // of the first of several
	Cursor    string     `json:"cursor"`                           // start of the next page: its value for Before
}

// EventsInput is the input of events.list. An empty TenantID means the events that belong to no tenant, such as those of the signing keys.
type EventsInput struct {
	TenantID string `json:"tenantId" flag:"tenant" help:"tenant ID (default: events of signing keys and gateways)"`
	Type     string `json:"type"`    // empty: all
	LoginID  string `json:"loginId"` // empty: all
	Before   string `json:"before"`  // the cursor of the last event of the previous page
	Limit    int    `json:"limit" flag:"limit" default:"50" help:"number of events, at most 1000"`
}

const longestType = 64

const maxEvents = 1000

func (s *service) listEvents(ctx context.Context, in *EventsInput) ([]Event, error) {
	if in.Limit < 1 || in.Limit > maxEvents {
		return nil, verb.Refuse("The limit must be 1 to %d.", maxEvents)
	}
	if in.LoginID != "" && !id.Valid(in.LoginID) || in.Before != "" && !id.Valid(in.Before) || len(in.Type) > longestType {
		return nil, verb.Refuse("The event doesn't exist.")
	}
	found, _, err := s.tenants.SearchEvents(ctx, in.TenantID, tenant.EventFilter{Type: in.Type, LoginID: in.LoginID, Before: in.Before, Limit: in.Limit})
	if err == nil && in.TenantID != "" && len(found) == 0 { // a deleted tenant still has audit events
		err = s.requireTenant(ctx, in.TenantID)
	}
	return verb.Each(found, shownEvent), err
}

func shownEvent(e *tenant.StoredEvent) Event {
	out := Event{
		ID: e.ID, Cursor: e.LastID, Type: e.Type, At: e.At, Actor: e.Actor, ClientID: e.ClientID, LoginID: e.LoginID, Mode: string(e.Mode),
		Result: e.Result, ErrorCode: e.ErrorCode, Phone: e.Phone, IP: e.IP, RequestID: e.RequestID,
	}
	if e.Count > 1 {
		out.Count, out.FirstAt = e.Count, &e.FirstAt
	}
	return out
}

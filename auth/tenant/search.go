package tenant

import (
	"context"
	"time"

	"example.com/griot/internal/id"
)

// EventFilter chooses events of a tenant.
type EventFilter struct {
	Type    string // empty: all
	LoginID string // ID26; empty: all. A login's events are searched in the day after its start; the start event is derived
	// WithoutCounted omits the events that anyone can cause any number of times: starts of logins and failed sign-ins.
	// Type and LoginID take precedence.
	WithoutCounted bool
	Before         string // the LastID of the last event of the previous page; empty: from the newest
	Limit          int
}

const loginEvents = 24 * time.Hour

// EventTypes returns the event types by which a tenant's list can be filtered.
func EventTypes() []string {
	return []string{
		LoginStarted, LoginActivated, LoginVerified, LoginHeld, LoginNumberRequested, LoginDuplicate, LoginConflict, LoginCanceled, LoginOtherPerson, LoginRefused, TokenIssued, TokenDenied, TokenRevoked, CodeReplayed,
		ClientCreated, ClientUpdated, ClientSecretRotated, DashboardLogin, DashboardLoginFailed, DashboardLogout,
		TenantCreated, InvitationCreated, InvitationRevoked, AppearanceUpdated, DomainAdded, DomainVerified, DomainRemoved, DomainLost, PersonExported, PersonErased, PersonDetached, NumberChanged, PersonMoved, WebhookSet, WebhookRemoved, WebhookEnabled, WebhookDisabled, WebhookSecretRotated, WebhookPinged, WebhookResent,
	}
}

// SearchEvents returns a page of a tenant's events, newest first, and the cursor of the next one; "" at the end. A row
// whose count increases between two pages moves to the front, so it doesn't appear again on a later page. No other
// event moves.
func (s *Store) SearchEvents(ctx context.Context, tenantID string, f EventFilter) (page []StoredEvent, next string, err error) {
	if err := s.StoreCounts(ctx); err != nil {
		return nil, "", err
	}
	before, from := f.Before, ""
	if before == "" {
		before = maxID
	}
	var began time.Time
	if f.LoginID != "" {
		var ok bool
		if began, ok = id.Time(f.LoginID); !ok {
			return nil, "", nil
		}
		f.WithoutCounted = false
		from, before = id.First(began), min(before, id.First(began.Add(loginEvents)))
	}
	if page, err = s.selectMatching(ctx, tenantID, f, from, before, f.Limit+1); err != nil {
		return nil, "", err
	}
	if len(page) > f.Limit {
		page = page[:f.Limit]
		next = page[f.Limit-1].LastID
	}
	if f.LoginID == "" || next != "" || f.Type != "" && f.Type != LoginStarted {
		return page, next, nil
	}
	start, err := s.selectStart(ctx, tenantID, f.LoginID, began)
	switch {
	case err != nil || start == nil:
	case len(page) == f.Limit: // the event belongs to the next page
		next = page[f.Limit-1].LastID
	default:
		page = append(page, *start)
	}
	return page, next, err
}

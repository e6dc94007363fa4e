package login

import (
	"context"
	"time"

	"example.com/griot/auth/logout"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
	"example.com/griot/internal/phone"
)

// Person is a person as one tenant knows them, in one mode: what is stored of them beside their logins.
type Person struct {
	ID          string       // ID26; the subject of their tokens
	Phone       phone.Number // empty once it was detached
	Mode        tenant.Mode
	DisplayName string // empty when it isn't known
	Metadata    string // a JSON object
	FirstSeenAt time.Time
	LastSeenAt  time.Time // of the latest login
	DetachedAt  time.Time // zero: the number is theirs
}

// ListPeople returns a page of a tenant's people, the newest first, and the cursor of the next page; "" at the end.
func (s *Service) ListPeople(ctx context.Context, tenantID, before string, limit int) (page []Person, next string, err error) {
	if page, err = s.selectPeople(ctx, tenantID, before, limit+1); err != nil {
		return nil, "", err
	}
	if len(page) > limit {
		page = page[:limit]
		next = page[limit-1].ID
	}
	return page, next, nil
}

// FindPeople returns a tenant's people with a number: one in each mode at most.
func (s *Service) FindPeople(ctx context.Context, tenantID string, number phone.Number) ([]Person, error) {
	return s.selectPeopleByPhone(ctx, tenantID, number)
}

// Person returns one of a tenant's people; nil when the tenant has none of that id.
func (s *Service) Person(ctx context.Context, tenantID, profileID string) (*Person, error) {
	return s.selectPerson(ctx, tenantID, profileID)
}

// PersonEvents returns the latest events of a person's logins from when the number was known, the newest first.
func (s *Service) PersonEvents(ctx context.Context, tenantID, profileID string, limit int) ([]tenant.StoredEvent, error) {
	return tenant.EventsOf(ctx, s.db, tenantID, profileID, limit)
}

// MaxExported is how many events an export has at most.
const MaxExported = 10_000

// Export is everything that a tenant stores of a person.
type Export struct {
	Person   Person
	Events   []tenant.StoredEvent // of their logins, the newest first
	Complete bool                 // false: there are more than [MaxExported] events
}

// Export returns everything that a tenant stores of a person, and records that it did, without naming them; nil when the
// tenant has no such person.
func (s *Service) Export(ctx context.Context, tenantID, profileID string) (*Export, error) {
	p, err := s.selectPerson(ctx, tenantID, profileID)
	if err != nil || p == nil {
		return nil, err
	}
	e := &Export{Person: *p, Complete: true}
	if e.Events, err = s.PersonEvents(ctx, tenantID, profileID, MaxExported+1); err != nil {
		return nil, err
	}
	if len(e.Events) > MaxExported {
		e.Events, e.Complete = e.Events[:MaxExported], false
	}
	exported := tenant.NewEvent(ctx, tenantID, tenant.PersonExported, s.now())
	exported.Mode = p.Mode
	return e, s.db.Write(ctx, func(tx *db.Tx) error { return tenant.Record(tx, exported) })
}

// eraseBatch is how many rows of a kind one transaction erases: others wait for it on SQLite.
const eraseBatch = 100

// Erase deletes what a tenant stores of a person: the profile, the logins, and the events for its endpoint; audit events stay,
// without the number, the network, and the link to the person. Their tokens end with their logins, and their next login makes
// a new profile. erased is false when the tenant has no such person, or no longer.
//
// The profile goes last, so that an erasure that was interrupted can be repeated. Its row is the guard: of two
// erasures one deletes it, and a login that is proved meanwhile waits for it and makes a new one.
func (s *Service) Erase(ctx context.Context, tenantID, profileID string) (erased bool, err error) {
	person, err := s.selectPerson(ctx, tenantID, profileID)
	if err != nil || person == nil {
		return false, err
	}
	var ended []string
	now := s.now()
	defer s.notify() // of logout tokens that were stored, also when an error ends it
	for more := true; more; {
		var batch []string
		err := s.db.Write(ctx, func(tx *db.Tx) (err error) {
			batch, more, err = eraseLogins(tx, tenantID, person, now)
			return err
		})
		s.changedAll(batch)
		if err != nil {
			return false, err
		}
	}
	e := tenant.NewEvent(ctx, tenantID, tenant.PersonErased, s.now())
	e.Mode = person.Mode
	err = s.db.Write(ctx, func(tx *db.Tx) (err error) {
		ended = nil
		if erased, err = deletePerson(tx, tenantID, profileID); err != nil || !erased {
			return err
		}
		for more := true; more; { // what came since the last batch
			var batch []string
			if batch, more, err = eraseLogins(tx, tenantID, person, now); err != nil {
				return err
			}
			ended = append(ended, batch...)
		}
		return tenant.Record(tx, e)
	})
	s.changedAll(ended)
	if err != nil || !erased {
		return false, err
	}
	_, err = s.db.PurgeWithin(ctx, purgeWait)
	return err == nil, err
}

// purgeWait is how long an erasure waits for readers of SQLite's write-ahead log. [db.DB.Run] empties it when they take longer.
const purgeWait = 5 * time.Second

// changedAll is changed for logins that were deleted.
func (s *Service) changedAll(sessionIDs []string) {
	for _, sessionID := range sessionIDs {
		s.changed(sessionID)
	}
}

// startTime is how long after a login's id the events are that come before its proof.
const startTime = ProveTime + time.Minute

// eraseLogins deletes some of a person's logins, and what events say of the person. more reports whether there may be others.
func eraseLogins(tx *db.Tx, tenantID string, p *Person, now time.Time) (ended []string, more bool, err error) {
	if err := logout.Erased(tx, p.ID, string(p.Phone), tenantID, string(p.Mode), now); err != nil {
		return nil, false, err
	}
	sessions, err := deletePersonSessions(tx, tenantID, p, eraseBatch)
	if err != nil {
		return nil, false, err
	}
	for _, session := range sessions {
		if err := deleteSessionProofs(tx, session.id, session.verifiedAt); err != nil {
			return nil, false, err
		}
		ended = append(ended, session.id)
	}
	redacted, err := tenant.RedactEventsOf(tx, tenantID, p.ID, eraseBatch)
	if err != nil {
		return nil, false, err
	}
	known := map[string]bool{}
	for _, e := range redacted {
		if err := deleteWebhookEvent(tx, tenantID, id.Event+e.ID); err != nil {
			return nil, false, err
		}
		began, ok := id.Time(e.LoginID)
		if !ok || known[e.LoginID] {
			continue
		}
		known[e.LoginID] = true
		if err := tenant.RedactStart(tx, tenantID, e.LoginID, id.First(began), id.First(began.Add(startTime))); err != nil {
			return nil, false, err
		}
	}
	return ended, len(sessions) == eraseBatch || len(redacted) == eraseBatch, nil
}

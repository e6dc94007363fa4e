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

// Person is a person as one tenant knows them, in one mode: the stored data except their logins.
type Person struct {
	ID          string       // ID26; the subject of their tokens
	Phone       phone.Number // empty after it was detached
	Mode        tenant.Mode
	DisplayName string // empty if unknown
	Metadata    string // a JSON object
	FirstSeenAt time.Time
	LastSeenAt  time.Time // of the latest login
	DetachedAt  time.Time // zero: not detached

	// Username is the user name for applications that ask for one by the name ([tenant.Username]); empty before its first use.
	Username string

	NewPhone  phone.Number // the number that the person has now, as reported by WhatsApp; empty: no other one is reported
	ChangedAt time.Time    // with NewPhone: the time of the report
}

// ListPeople returns a page of a tenant's people, newest first, and the cursor of the next page; "" at the end.
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

// FindPeople returns a tenant's people with a number: at most one in each mode.
func (s *Service) FindPeople(ctx context.Context, tenantID string, number phone.Number) ([]Person, error) {
	return s.selectPeopleByPhone(ctx, tenantID, number)
}

// Person returns one of a tenant's people; nil if the tenant has no person with that id.
func (s *Service) Person(ctx context.Context, tenantID, profileID string) (*Person, error) {
	return selectPerson(s.db.Read(ctx), tenantID, profileID)
}

// PersonEvents returns the latest events of a person's logins after the number was known, newest first.
func (s *Service) PersonEvents(ctx context.Context, tenantID, profileID string, limit int) ([]tenant.StoredEvent, error) {
	return tenant.EventsOf(ctx, s.db, tenantID, profileID, limit)
}

// MaxExported is the maximum number of events in an export.
const MaxExported = 10_000

// Export is all data that a tenant stores about a person.
type Export struct {
	Person   Person
	Events   []tenant.StoredEvent // of their logins, newest first
	Complete bool                 // false: there are more than [MaxExported] events
}

// Export returns all data that a tenant stores about a person, and records the export without naming the person. It
// returns nil if the tenant has no such person.
func (s *Service) Export(ctx context.Context, tenantID, profileID string) (*Export, error) {
	p, err := selectPerson(s.db.Read(ctx), tenantID, profileID)
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

// eraseBatch is the number of rows of a kind that one transaction erases. Other transactions wait for it on SQLite.
const eraseBatch = 100

// Erase deletes the data that a tenant stores about a person: the profile, the logins, and the events for its endpoint.
// Audit events stay, without the number, the network, and the link to the person. The person's tokens end with their
// logins, and their next login creates a new profile. erased is false if the tenant has no such person.
//
// The profile is deleted last, so that an interrupted erasure can be repeated. Its row is the guard. Of two erasures,
// only one deletes it, and a login that is proved at the same time waits for it and creates a new profile.
func (s *Service) Erase(ctx context.Context, tenantID, profileID string) (erased bool, err error) {
	var person *Person
	var ended []string
	now := s.now()
	defer s.notify() // for stored logout tokens, also after an error
	for more := true; more; {
		var batch []string
		err := s.db.Write(ctx, func(tx *db.Tx) (err error) {
			batch, more = nil, false
			if person, err = selectPerson(&tx.Query, tenantID, profileID); err != nil || person == nil { // each time, because a move changes the number
				return err
			}
			batch, more, err = eraseLogins(tx, tenantID, person, now)
			return err
		})
		s.changedAll(batch)
		if err != nil {
			return false, err
		}
	}
	if person == nil {
		return false, nil
	}
	e := tenant.NewEvent(ctx, tenantID, tenant.PersonErased, s.now())
	err = s.db.Write(ctx, func(tx *db.Tx) (err error) {
		ended = nil
		person, err = deletePerson(tx, tenantID, profileID)
		if erased = person != nil; err != nil || !erased {
			return err
		}
		e.Mode = person.Mode
		for more := true; more; { // rows that were written since the last batch
			var batch []string
			if batch, more, err = eraseLogins(tx, tenantID, person, now); err != nil {
				return err
			}
			ended = append(ended, batch...)
		}
		for _, number := range []phone.Number{person.Phone, person.NewPhone} {
			if err := s.identity.Forget(tx, string(number)); err != nil {
				return err
			}
		}
		if person.Mode == tenant.Live {
			if err := forgetNewNumber(tx, tenantID, person.Phone); err != nil {
				return err
			}
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

// purgeWait is the time that an erasure waits for readers of SQLite's write-ahead log. If they take longer, [db.DB.Run]
// empties the log later.
const purgeWait = 5 * time.Second

// changedAll calls changed for deleted logins.
func (s *Service) changedAll(sessionIDs []string) {
	for _, sessionID := range sessionIDs {
		s.changed(sessionID)
	}
}

// startTime is the maximum time between a login's id and its events before the proof.
const startTime = ProveTime + time.Minute

// eraseLogins deletes some of a person's logins, and the personal data in their events. more reports whether there
// might be others.
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

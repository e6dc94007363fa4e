package tenant

import (
	"context"
	"slices"
	"time"

	"example.com/griot/internal/id"
)

const (
	// StatsDays is the number of days in the statistics, including today. Days are in UTC.
	StatsDays = 30
	// MaxCounted is the maximum number of rows of an event type that are counted. The latest ones are counted.
	MaxCounted = 20_000

	medianOf = 1000 // the latest redeemed logins
	day      = 24 * time.Hour
)

// Steps is the number of logins that reached each step. Not every login is opened: a person who scans a
// QR code skips this step.
type Steps struct {
	Started  int // the words were shown
	Opened   int // the page opened WhatsApp
	Verified int // the words arrived
	Redeemed int // the application exchanged the code
}

func (s *Steps) add(typ string, n int) {
	switch typ {
	case LoginStarted:
		s.Started += n
	case LoginActivated:
		s.Opened += n
	case LoginVerified:
		s.Verified += n
	case TokenIssued:
		s.Redeemed += n
	}
}

// Stats are the logins of a tenant in one mode over [StatsDays] days.
type Stats struct {
	Days     []Steps // the last one is today
	First    time.Time
	Total    Steps
	Clients  map[string]Steps // by the public identifiers of the clients
	Median   time.Duration    // from start to redemption, of the latest redeemed logins; 0 if there are none
	Complete bool             // false: an event type has more than [MaxCounted] rows, and the oldest are not counted
}

// Today returns the steps of the last day.
func (s *Stats) Today() Steps { return s.Days[len(s.Days)-1] }

// Stats counts a tenant's logins of a mode. It reads a bounded number of events.
func (s *Store) Stats(ctx context.Context, tenantID string, mode Mode) (*Stats, error) {
	if err := s.StoreCounts(ctx); err != nil {
		return nil, err
	}
	first := s.now().UTC().Truncate(day).Add(-(StatsDays - 1) * day)
	out := &Stats{Days: make([]Steps, StatsDays), Clients: map[string]Steps{}, First: first, Complete: true}
	for _, typ := range []string{LoginStarted, LoginActivated, LoginVerified, TokenIssued} {
		counted := 0
		err := s.selectDays(ctx, tenantID, typ, id.First(first), func(of Mode, clientID string, at time.Time, n, rows int) {
			counted += rows
			if i := int(at.Sub(first) / day); of == mode && i >= 0 && i < StatsDays {
				out.Days[i].add(typ, n)
				out.Total.add(typ, n)
				client := out.Clients[clientID]
				client.add(typ, n)
				out.Clients[clientID] = client
			}
		})
		if err != nil {
			return nil, err
		}
		out.Complete = out.Complete && counted <= MaxCounted
	}
	var took []time.Duration
	err := s.selectRedeemed(ctx, tenantID, id.First(first), medianOf, func(of Mode, loginID string, at time.Time) {
		if started, ok := id.Time(loginID); ok && of == mode {
			took = append(took, at.Sub(started))
		}
	})
	if err != nil || len(took) == 0 {
		return out, err
	}
	slices.Sort(took)
	out.Median = took[len(took)/2]
	return out, nil
}

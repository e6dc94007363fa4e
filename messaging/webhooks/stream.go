package webhooks

import (
	"context"
	"strconv"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/webhook"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/audit"
)

// ListenRenew is the interval at which a listener must register again.
const ListenRenew = 30 * time.Second

// listenTime is the lifetime of a registration. It is long enough that a process that caches accounts for 30 seconds
// does not see it expire.
const listenTime = 2 * time.Minute

// Listen registers a listener, a program or a page, so that events are also stored for an account without an endpoint.
// Call it again every [ListenRenew].
func (e *Endpoints) Listen(ctx context.Context, accountID string, program bool) error {
	now, first := e.Now(), false
	err := e.DB.Write(ctx, func(tx *db.Tx) (err error) {
		first, err = account.RegisterListener(tx, accountID, program, db.Ms(now), db.Ms(now.Add(listenTime)))
		return err
	})
	if err == nil && first && e.Changed != nil {
		e.Changed()
	}
	return err
}

// ListenSecret returns the secret with which an account's listeners sign forwarded events. There is one for each
// rotation, and another for listeners to simulated messages. It differs from the endpoint's secrets.
func (e *Endpoints) ListenSecret(accountID string, rotation int64, simulated bool) string {
	parts := []string{accountID}
	if rotation > 0 || simulated { // the first secret of live keys is older than rotations
		parts = append(parts, strconv.FormatInt(rotation, 10), strconv.FormatBool(simulated))
	}
	return webhook.WriteSecret(e.Key.Secret("webhook-listen").MAC(parts...))
}

// RotateListenSecret replaces the secrets of an account's streams and returns the secret for live keys. Open streams
// send the new secrets to their listeners.
func (e *Endpoints) RotateListenSecret(ctx context.Context, accountID string) (string, error) {
	var rotation int64
	record := e.audited(ctx, accountID, audit.StreamRotated, "")
	err := e.DB.Write(ctx, func(tx *db.Tx) (err error) {
		if rotation, err = account.RotateStreamSecret(tx, accountID); err != nil {
			return err
		}
		return record(tx)
	})
	return e.ListenSecret(accountID, rotation, false), err
}

// A Stream contains the events of an account from its creation on. It is not safe for concurrent use.
type Stream struct {
	e         *Endpoints
	account   string
	simulated bool // only events of sandbox messages
	begin     time.Time
	latest    time.Time
	seen      map[string]time.Time // times at which recent events were stored, by ID
}

const (
	streamOverlap  = 5 * time.Second // a commit can be later than those of events that were stored afterward
	streamPageSize = 200
)

// Stream returns an account's events from now on, or after the event with the ID after if that was streamed. With
// simulated, it contains only events of sandbox messages.
func (e *Endpoints) Stream(ctx context.Context, accountID, after string, simulated bool) (*Stream, error) {
	s := &Stream{e: e, account: accountID, simulated: simulated, begin: e.Now(), seen: map[string]time.Time{}}
	if ValidID(after) {
		at, err := streamedAt(e.DB.Read(ctx), accountID, after)
		if err != nil {
			return nil, err
		}
		if !at.IsZero() {
			s.begin, s.seen[after] = at, at
		}
	}
	s.latest = s.begin
	return s, nil
}

// Next returns the new events, if there are any.
func (s *Stream) Next(ctx context.Context) ([]*Event, error) {
	from := s.latest.Add(-streamOverlap)
	if from.Before(s.begin) {
		from = s.begin
	}
	for eventID, at := range s.seen {
		if at.Before(from) {
			delete(s.seen, eventID)
		}
	}
	var out []*Event
	for after := ""; ; {
		page, err := streamPage(s.e.DB.Read(ctx), s.account, from, after)
		if err != nil {
			return nil, err
		}
		for _, e := range page {
			if _, known := s.seen[e.ID]; known {
				continue
			}
			s.seen[e.ID] = e.Stored
			if s.latest.Before(e.Stored) {
				s.latest = e.Stored
			}
			if !s.simulated || e.simulated() {
				out = append(out, e)
			}
		}
		if len(page) < streamPageSize || len(out) >= streamPageSize {
			return out, nil
		}
		from, after = page[len(page)-1].Stored, page[len(page)-1].ID
	}
}

// Sent records that a program got these events of the stream. It skips events of an endpoint, whose deliveries have
// records of their own.
func (s *Stream) Sent(ctx context.Context, list []*Event) error {
	if len(list) == 0 {
		return nil
	}
	return s.e.DB.Write(ctx, func(tx *db.Tx) error { return markStreamed(tx, s.account, list, s.e.Now()) })
}

// Streamed returns the times at which programs got some of the account's events, by the events' IDs. It omits events
// that no program got.
func (e *Endpoints) Streamed(ctx context.Context, c *account.Caller, list []*Stored) (map[string]time.Time, error) {
	if err := account.MayManageWebhooks.Check(c, e.Now()); err != nil {
		return nil, err
	}
	return selectStreamed(e.DB.Read(ctx), c.Account.ID, list)
}

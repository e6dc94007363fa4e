package events

import (
	"context"
	"strconv"
	"time"

	"griot/internal/db"
	"griot/internal/seal"
	"griot/internal/webhook"
	"griot/messaging/account"
)

// How a listener's registration is kept: long enough that a process that keeps
// accounts for half a minute never sees it run out.
const (
	listenTime  = 2 * time.Minute
	ListenRenew = 30 * time.Second
)

// Listen registers a listener for a while, so that events are stored for an account
// that has no endpoint, too. It is to be called again every [ListenRenew].
func (e *Endpoints) Listen(ctx context.Context, accountID string) error {
	now, first := e.Now(), false
	err := e.DB.Write(ctx, func(tx *db.Tx) (err error) {
		first, err = account.RegisterListener(tx, accountID, db.Ms(now), db.Ms(now.Add(listenTime)))
		return err
	})
	if err == nil && first && e.Changed != nil {
		e.Changed()
	}
	return err
}

// ListenSecret is what signs the events that an account's listeners pass on. It is
// the same for a turn, and none of its endpoint's secrets. Who hears of simulated
// messages only has another one.
func (e *Endpoints) ListenSecret(accountID string, turn int64, simulated bool) string {
	parts := []string{accountID}
	if turn > 0 || simulated { // the first one for live keys is as it was before there were turns
		parts = append(parts, strconv.FormatInt(turn, 10), strconv.FormatBool(simulated))
	}
	return webhook.WriteSecret(seal.MAC(e.Key.Derive("webhook-listen"), parts...))
}

// RotateListenSecret replaces the secrets of an account's streams, and returns the
// one for live keys. Those who listen are told theirs.
func (e *Endpoints) RotateListenSecret(ctx context.Context, accountID string) (string, error) {
	var turn int64
	err := e.DB.Write(ctx, func(tx *db.Tx) (err error) {
		turn, err = account.RotateStreamSecret(tx, accountID)
		return err
	})
	return e.ListenSecret(accountID, turn, false), err
}

// Feed is what happens in an account from the moment that it is made. It is not safe for concurrent use.
type Feed struct {
	e         *Endpoints
	account   string
	simulated bool // only what tells of sandbox messages
	begin     time.Time
	seen      map[string]time.Time // of the last moments
	latest    time.Time
}

const (
	feedOverlap = 5 * time.Second // commits may come later than others that were stored after them
	feedSize    = 200
)

// Feed returns what happens in an account from now on, or from behind the event
// after on, if that was heard; what tells of sandbox messages only, when simulated is set.
func (e *Endpoints) Feed(ctx context.Context, accountID, after string, simulated bool) (*Feed, error) {
	f := &Feed{e: e, account: accountID, simulated: simulated, begin: e.Now(), seen: map[string]time.Time{}}
	if ValidID(after) {
		at, err := heardAt(e.DB.Read(ctx), accountID, after)
		if err != nil {
			return nil, err
		}
		if !at.IsZero() {
			f.begin, f.seen[after] = at, at
		}
	}
	f.latest = f.begin
	return f, nil
}

// Next returns the events that are new, which may be none.
func (f *Feed) Next(ctx context.Context) ([]*Event, error) {
	from := f.latest.Add(-feedOverlap)
	if from.Before(f.begin) {
		from = f.begin
	}
	for eventID, at := range f.seen {
		if at.Before(from) {
			delete(f.seen, eventID)
		}
	}
	var out []*Event
	for after := ""; ; {
		page, err := heardSince(f.e.DB.Read(ctx), f.account, from, after)
		if err != nil {
			return nil, err
		}
		for _, e := range page {
			if _, known := f.seen[e.ID]; known {
				continue
			}
			f.seen[e.ID] = e.Stored
			if f.latest.Before(e.Stored) {
				f.latest = e.Stored
			}
			if !f.simulated || e.simulated() {
				out = append(out, e)
			}
		}
		if len(page) < feedSize || len(out) >= feedSize {
			return out, nil
		}
		from, after = page[len(page)-1].Stored, page[len(page)-1].ID
	}
}

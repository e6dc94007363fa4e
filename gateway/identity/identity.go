package identity

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/phone"
	"example.com/griot/internal/task"
	"example.com/griot/internal/whatsappid"
)

const (
	confirmEvery = 24 * time.Hour       // a pair is confirmed in the database at most this often
	cacheFor     = 5 * time.Second      // the time for which a known pair isn't read again, although another process can have ended it
	cacheSize    = 8192                 // pairs
	keep         = 400 * 24 * time.Hour // after the last confirmation
	purgeEvery   = time.Hour
	purgeBatch   = 500 // rows of a transaction
)

// Options configure a [Store].
type Options struct {
	DB  *db.DB
	Now clock.Now
	Log *slog.Logger
	// Withdrawn is called in the transaction that ends a pair, so that data that was joined by it can be separated. It
	// can be nil.
	Withdrawn func(tx *db.Tx, p *Pair) error
}

// A Store stores pairs. It is safe for concurrent use, by several processes with one database.
type Store struct {
	o Options

	mu    sync.Mutex
	known map[cacheKey]cached
}

type cacheKey struct{ portfolio, id, parent string }

type cached struct {
	number string
	until  time.Time
}

// New returns a store.
func New(o Options) *Store { return &Store{o: o, known: map[cacheKey]cached{}} }

// ids returns the IDs of a person that pairs are learned of.
func ids(p *gateway.PersonID) (list []string) {
	for _, id := range []string{p.ID, p.ParentID} {
		if whatsappid.Is(id) {
			list = append(list, id)
		}
	}
	return list
}

// Inbound learns from a message that has a number and an ID. If it has only an ID, Inbound sets From to the number of
// its pair, if it has one that nothing contradicts, and Source to [gateway.NumberPaired]. conflict is true if the
// message has made a contradiction known.
func (s *Store) Inbound(ctx context.Context, in *gateway.Inbound) (conflict bool, err error) {
	list := ids(&in.Person)
	switch {
	case len(list) == 0:
		return false, nil
	case in.From != "":
		return s.learn(ctx, &observation{in.Person.Portfolio, list, in.From, FromMessage, in.At})
	}
	number, ok, err := s.NumberOf(s.o.DB.Read(ctx), &in.Person)
	if err == nil && ok {
		in.From, in.Source = number, gateway.NumberPaired
	}
	return false, err
}

// Receipt learns from a receipt that has a number and an ID.
func (s *Store) Receipt(ctx context.Context, r *gateway.Receipt) (conflict bool, err error) {
	list := ids(&r.Person)
	if len(list) == 0 || r.Recipient == "" {
		return false, nil
	}
	return s.learn(ctx, &observation{r.Person.Portfolio, list, r.Recipient, FromReceipt, r.At})
}

// Change learns from a report about a person: it ends the pairs of a number or an ID that the person no longer has, and
// learns the new pair if both halves are known.
func (s *Store) Change(ctx context.Context, c *gateway.Change) (conflict bool, err error) {
	list, source := ids(&c.Person), FromChange
	switch c.Kind {
	case gateway.NumberChanged, gateway.IDChanged:
		if err := s.move(ctx, c); err != nil {
			return false, err
		}
	case gateway.PairKnown:
		source = FromGateway
	case gateway.MessageEdited, gateway.MessageDeleted, gateway.MessageUnreadable, gateway.MarketingStopped, gateway.MarketingResumed, gateway.MessageSent:
		source = FromMessage
	}
	if len(list) == 0 || c.From == "" {
		return false, nil
	}
	return s.learn(ctx, &observation{c.Person.Portfolio, list, c.From, source, c.At})
}

// NumberOf returns the number of a person who is known by an ID, in E.164 digits. ok is false if there is no pair that
// can be used.
func (s *Store) NumberOf(q *db.Query, p *gateway.PersonID) (number string, ok bool, err error) {
	list := ids(p)
	if len(list) == 0 {
		return "", false, nil
	}
	known, err := selectOfIDs(q, p.Portfolio, list)
	if err != nil {
		return "", false, err
	}
	pair, ok, _ := numberOf(list, known, s.o.Now())
	return pair.Number, ok, nil
}

// Hold reports whether a person's ID and a number are a pair that can be used, and keeps it from ending before the
// transaction does. What relies on a pair calls it in its own transaction.
func (s *Store) Hold(tx *db.Tx, p *gateway.PersonID, number string) (bool, error) {
	list := ids(p)
	if len(list) == 0 {
		return false, nil
	}
	known, err := selectOfIDs(&tx.Query, p.Portfolio, list)
	if err != nil {
		return false, err
	}
	pair, ok, _ := numberOf(list, known, s.o.Now())
	if !ok || pair.Number != number {
		return false, nil
	}
	return lock(tx, pair.Portfolio, pair.ID, pair.Number)
}

// Share learns the number that a person has shared on request. It must be called in the transaction that accepts it.
func (s *Store) Share(tx *db.Tx, p *gateway.PersonID, number string, at time.Time) (conflict bool, err error) {
	list := ids(p)
	if len(list) == 0 {
		return false, nil
	}
	return s.observe(tx, s.normal(&observation{p.Portfolio, list, number, FromShared, at}))
}

// Forget deletes what is stored about a number or an ID, in E.164 digits or as in [whatsappid.ID], in all portfolios.
func (s *Store) Forget(tx *db.Tx, half string) error {
	if half == "" {
		return nil
	}
	tx.AfterCommit(func(bool) { s.clear() })
	return deletePerson(tx, half)
}

// Withdraw ends a pair at the request of the operator, and calls record in the same transaction. It returns false if the
// pair isn't in use.
func (s *Store) Withdraw(ctx context.Context, portfolio, id, number string, record func(*db.Tx) error) (done bool, err error) {
	defer s.clear()
	p := Pair{Portfolio: portfolio, ID: id, Number: number, WithdrawnAt: s.o.Now(), Reason: Operator}
	err = s.o.DB.Write(ctx, func(tx *db.Tx) (err error) {
		if done, err = s.end(tx, &p); err != nil || !done {
			return err
		}
		return record(tx)
	})
	return done, err
}

// A Filter selects pairs of a list.
type Filter struct {
	Half      string // a number in E.164 digits, or an ID; empty: all
	Conflicts bool   // only pairs in use whose ID has several numbers
	After     Pair   // the last pair of the previous page
}

// List returns the next n pairs, in the order of portfolio, ID, and number.
func (s *Store) List(ctx context.Context, f *Filter, n int) ([]Pair, error) {
	return listPairs(s.o.DB.Read(ctx), f, n)
}

// Run deletes pairs that weren't confirmed for 400 days, until ctx ends.
func (s *Store) Run(ctx context.Context) error {
	return task.Every(ctx, purgeEvery, s.o.Log, "deleting old WhatsApp IDs", s.Purge)
}

// Purge deletes pairs that weren't confirmed for 400 days.
func (s *Store) Purge(ctx context.Context) error {
	for deleted := int64(purgeBatch); deleted == purgeBatch && ctx.Err() == nil; {
		err := s.o.DB.Write(ctx, func(tx *db.Tx) (err error) {
			deleted, err = deleteOld(tx, s.o.Now().Add(-keep), purgeBatch)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// normal bounds the values of an observation: a time that isn't in the future, and a number without its plus.
func (s *Store) normal(o *observation) *observation {
	if now := s.o.Now(); o.at.IsZero() || o.at.After(now) {
		o.at = now
	}
	o.at = o.at.UTC().Truncate(time.Millisecond)
	n, _ := phone.Parse(o.number)
	o.number = string(n)
	return o
}

// learn stores an observation, unless it is known already.
func (s *Store) learn(ctx context.Context, o *observation) (conflict bool, err error) {
	if s.normal(o); o.number == "" {
		return false, nil
	}
	key, now := cacheKey{o.portfolio, o.ids[0], o.ids[len(o.ids)-1]}, s.o.Now()
	if s.cached(key, o.number, now) {
		return false, nil
	}
	known, err := selectKnown(s.o.DB.Read(ctx), o.portfolio, o.number, o.ids)
	if err != nil {
		return false, err
	}
	if !isKnown(o, known) {
		err = s.o.DB.Write(ctx, func(tx *db.Tx) (err error) {
			conflict, err = s.observe(tx, o)
			return err
		})
	}
	if err == nil {
		s.remember(key, o.number, now)
	}
	return conflict, err
}

// isKnown reports whether an observation changes nothing, except for a recent confirmation.
func isKnown(o *observation, known []Pair) bool {
	d := decide(o, known)
	if len(d.withdrawn) > 0 {
		return false
	}
	for i := range d.put {
		if !slices.ContainsFunc(known, func(k Pair) bool {
			return k.ID == d.put[i].ID && k.Number == d.put[i].Number && k.live() == d.put[i].live() && d.put[i].ConfirmedAt.Sub(k.ConfirmedAt) < confirmEvery
		}) {
			return false
		}
	}
	return true
}

// observe writes what an observation changes.
func (s *Store) observe(tx *db.Tx, o *observation) (conflict bool, err error) {
	known, err := selectKnown(&tx.Query, o.portfolio, o.number, o.ids)
	if err != nil {
		return false, err
	}
	d := decide(o, known)
	for i := range d.put {
		if err := upsert(tx, &d.put[i]); err != nil {
			return false, err
		}
	}
	for i := range d.withdrawn {
		if _, err := s.end(tx, &d.withdrawn[i]); err != nil {
			return false, err
		}
	}
	return d.conflict, nil
}

// move ends the pairs of the number and the IDs that a person no longer has, unless a later report has confirmed them.
func (s *Store) move(ctx context.Context, c *gateway.Change) error {
	o := s.normal(&observation{portfolio: c.Person.Portfolio, number: c.OldNumber, at: c.At})
	for _, id := range []string{c.OldID, c.OldParent} {
		if whatsappid.Is(id) {
			o.ids = append(o.ids, id)
		}
	}
	if len(o.ids) == 0 {
		o.ids = []string{""} // no pair has it
	}
	defer s.clear()
	return s.o.DB.Write(ctx, func(tx *db.Tx) error {
		known, err := selectKnown(&tx.Query, o.portfolio, o.number, o.ids)
		if err != nil {
			return err
		}
		for _, k := range known {
			if !k.live() || k.ConfirmedAt.After(o.at) {
				continue
			}
			k.WithdrawnAt, k.Reason = o.at, Moved
			if _, err := s.end(tx, &k); err != nil {
				return err
			}
		}
		return nil
	})
}

// end ends a pair, and notifies the services. It returns false if the pair isn't in use.
func (s *Store) end(tx *db.Tx, p *Pair) (bool, error) {
	ended, err := withdraw(tx, p)
	if err != nil || !ended || s.o.Withdrawn == nil {
		return ended, err
	}
	return true, s.o.Withdrawn(tx, p)
}

func (s *Store) cached(k cacheKey, number string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.known[k]
	return c.number == number && now.Before(c.until)
}

func (s *Store) remember(k cacheKey, number string, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for old := range s.known { // any entry can be read again
		if len(s.known) < cacheSize {
			break
		}
		delete(s.known, old)
	}
	s.known[k] = cached{number, now.Add(cacheFor)}
}

// clear empties the cache, because pairs have ended.
func (s *Store) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.known)
}

package device

import (
	"context"
	"slices"
	"sync"
	"time"

	wastore "go.mau.fi/whatsmeow/store"
	"go.mau.fi/whatsmeow/types"
)

const (
	// confirmEvery is the interval at which a pair of a number and an ID is reported again.
	confirmEvery = 12 * time.Hour
	// maxConfirmed is the maximum number of pairs whose last report is remembered.
	maxConfirmed = 4096
)

// lids is whatsmeow's map of LIDs and numbers, which reports what WhatsApp adds to it.
type lids struct {
	wastore.LIDStore
	report func(ctx context.Context, pairs []Person) error

	mu   sync.Mutex
	last Person               // the last pair of a stanza
	told map[string]confirmed // by ID
}

type confirmed struct {
	number string
	at     time.Time
}

// newLIDs returns the map of a device. If the device has been used before, it replaces the earlier one.
func newLIDs(inner wastore.LIDStore, h Handler) *lids {
	if earlier, ok := inner.(*lids); ok {
		inner = earlier.LIDStore
	}
	return &lids{LIDStore: inner, report: h.Paired, told: map[string]confirmed{}}
}

// PutLIDMapping implements [wastore.LIDStore]. whatsmeow calls it for each stanza that has both.
func (l *lids) PutLIDMapping(ctx context.Context, lid, pn types.JID) error {
	if err := l.LIDStore.PutLIDMapping(ctx, lid, pn); err != nil {
		return err
	}
	p := Person{Number: numberOf(pn), ID: lidOf(lid)}
	l.mu.Lock()
	l.last = p
	l.mu.Unlock()
	l.learn(ctx, p)
	return nil
}

// PutManyLIDMappings implements [wastore.LIDStore].
func (l *lids) PutManyLIDMappings(ctx context.Context, mappings []wastore.LIDMapping) error {
	var pairs []Person
	for _, m := range mappings { // before the store changes the list
		pairs = append(pairs, Person{Number: numberOf(m.PN), ID: lidOf(m.LID)})
	}
	if err := l.LIDStore.PutManyLIDMappings(ctx, mappings); err != nil {
		return err
	}
	l.learn(ctx, pairs...)
	return nil
}

// take returns the pair that the stanza has shown that is being handled, once.
func (l *lids) take() Person {
	l.mu.Lock()
	defer l.mu.Unlock()
	last := l.last
	l.last = Person{}
	return last
}

// learn reports pairs, unless they were reported recently. A pair that can't be stored is reported again the next time.
func (l *lids) learn(ctx context.Context, pairs ...Person) {
	now := time.Now()
	l.mu.Lock()
	pairs = slices.DeleteFunc(pairs, func(p Person) bool {
		known := l.told[p.ID]
		return p.Number == "" || p.ID == "" || known.number == p.Number && now.Sub(known.at) < confirmEvery
	})
	l.mu.Unlock()
	if len(pairs) == 0 {
		return
	}
	if err := l.report(ctx, pairs); err != nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range pairs {
		for old := range l.told { // any entry can be reported again
			if len(l.told) < maxConfirmed {
				break
			}
			delete(l.told, old)
		}
		l.told[p.ID] = confirmed{p.Number, now}
	}
}

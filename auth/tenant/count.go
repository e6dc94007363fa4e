package tenant

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"net/netip"
	"slices"
	"sync"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/httpx"
)

const (
	countsEvery  = time.Second // maximum time that counts stay in memory
	countsAtOnce = 200         // rows of a transaction
	lastCounts   = 5 * time.Second
)

// countKey identifies a row of counted events.
type countKey struct {
	tenantID, typ, clientID string
	mode                    Mode
	minute                  int64 // since 1970
}

func (k countKey) compare(o countKey) int {
	return cmp.Or(cmp.Compare(k.tenantID, o.tenantID), cmp.Compare(k.typ, o.typ), cmp.Compare(k.clientID, o.clientID), cmp.Compare(k.mode, o.mode), cmp.Compare(k.minute, o.minute))
}

// counted is a number of events. It holds the first event, without the values that the others don't share.
type counted struct {
	Event

	lastID string // of the latest event
	lastAt time.Time
	n      int64
}

func (c *counted) add(o *counted) {
	c.n += o.n
	c.ID, c.lastID = min(c.ID, o.ID), max(c.lastID, o.lastID)
	if o.At.Before(c.At) {
		c.At = o.At
	}
	if o.lastAt.After(c.lastAt) {
		c.lastAt = o.lastAt
	}
	c.LoginID, c.Caller.RequestID = "", ""
	if httpx.Network(c.Caller.IP) != httpx.Network(o.Caller.IP) {
		c.Caller.IP = netip.Addr{}
	}
}

// counts are the events that are not stored yet.
type counts struct {
	mu      sync.Mutex
	waiting map[countKey]*counted
	writing chan struct{} // holds a value while a goroutine stores them
}

func newCounts() counts {
	return counts{waiting: map[countKey]*counted{}, writing: make(chan struct{}, 1)}
}

func (c *counts) add(key countKey, e *counted) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if before, ok := c.waiting[key]; ok {
		before.add(e)
	} else {
		c.waiting[key] = e
	}
}

func (c *counts) take() map[countKey]*counted {
	c.mu.Lock()
	defer c.mu.Unlock()
	taken := c.waiting
	c.waiting = map[countKey]*counted{}
	return taken
}

// Count records an event that anyone can cause any number of times: a login's start or a failed sign-in. The events of
// a minute, tenant, client, mode, and type become one row with their number and the times of the first and the latest.
// The row is stored outside of the caller's transaction: [Store.RunCounts] stores it within a second, and the methods
// that list events store it before they read. The tenant must exist.
func (s *Store) Count(e *Event) {
	key := countKey{e.TenantID, e.Type, e.ClientID, e.Mode, e.At.Unix() / 60}
	s.counts.add(key, &counted{*e, e.ID, e.At, 1})
}

// StoreCounts stores the counted events. Events that can't be stored stay in memory.
func (s *Store) StoreCounts(ctx context.Context) error {
	select {
	case s.counts.writing <- struct{}{}:
		defer func() { <-s.counts.writing }()
	case <-ctx.Done():
		return ctx.Err()
	}
	rows := s.counts.take()
	// Sorted, so that nodes that store the same rows don't deadlock.
	for keys := range slices.Chunk(slices.SortedFunc(maps.Keys(rows), countKey.compare), countsAtOnce) {
		err := s.db.Write(ctx, func(tx *db.Tx) error {
			exists := map[string]bool{} // a tenant might have been deleted in between
			for _, key := range keys {
				if _, asked := exists[key.tenantID]; !asked {
					known, err := hasTenant(tx, key.tenantID)
					if err != nil {
						return err
					}
					exists[key.tenantID] = known
				}
				if !exists[key.tenantID] {
					continue
				}
				if err := upsertCount(tx, rows[key], key.minute); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			for key, e := range rows {
				s.counts.add(key, e)
			}
			return err
		}
		for _, key := range keys {
			delete(rows, key)
		}
	}
	return nil
}

// RunCounts stores counted events until ctx ends, and then stores the remaining ones.
func (s *Store) RunCounts(ctx context.Context, log *slog.Logger) error {
	tick := time.NewTicker(countsEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastCounts)
			defer cancel()
			return s.StoreCounts(last)
		case <-tick.C:
			if err := s.StoreCounts(ctx); err != nil && ctx.Err() == nil {
				log.Error("storing counted events failed", "err", err)
			}
		}
	}
}

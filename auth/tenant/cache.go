package tenant

import (
	"context"
	"sync"
	"time"
)

const (
	cacheTime = 30 * time.Second // the longest time until a change shows on every node
	cacheSize = 10_000
)

// cache holds the clients that were found. Absent ones are read each time, so that a
// new client works at once.
type cache struct {
	mu      sync.RWMutex
	byID    map[string]cached
	version int // counts the invalidations: what was read before one is not cached
}

type cached struct {
	client *Client
	until  time.Time
}

// Client returns the client of a public identifier; nil when there is none. Changes
// by this store show at once, those by another node within 30 seconds.
// The client is shared: it must not be changed.
func (s *Store) Client(ctx context.Context, clientID string) (*Client, error) {
	now := s.now()
	s.cache.mu.RLock()
	hit, ok := s.cache.byID[clientID]
	epoch := s.cache.version
	s.cache.mu.RUnlock()
	if ok && now.Before(hit.until) {
		return hit.client, nil
	}
	c, err := s.selectClient(ctx, clientID)
	if err != nil || c == nil {
		return nil, err
	}
	s.cache.mu.Lock()
	defer s.cache.mu.Unlock()
	if s.cache.version != epoch { // it may have changed since it was read
		return c, nil
	}
	if len(s.cache.byID) >= cacheSize {
		clear(s.cache.byID)
	}
	s.cache.byID[clientID] = cached{c, now.Add(cacheTime)}
	return c, nil
}

// ClearCache removes all clients from the cache, after a change of a tenant.
func (s *Store) ClearCache() {
	s.cache.mu.Lock()
	defer s.cache.mu.Unlock()
	s.cache.version++
	clear(s.cache.byID)
}

// invalidate is called after the commit of a change.
func (c *cache) invalidate(clientID string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.version++
	delete(c.byID, clientID)
}

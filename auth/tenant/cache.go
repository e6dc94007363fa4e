package tenant

import (
	"context"
	"sync"
	"time"
)

const (
	cacheTime = 30 * time.Second // the longest time until every node sees a change
	cacheSize = 10_000
)

// cache holds known clients. Unknown ones are read each time, so that a new client works immediately.
type cache struct {
	mu      sync.RWMutex
	byID    map[string]cached
	version int // counts the invalidations; a row that was read before one is not cached
}

type cached struct {
	client *Client
	until  time.Time
}

// Client returns the client with a public identifier; nil if there is none. Changes by
// this store are visible immediately, and those by another node within 30 seconds. The
// client is shared, so callers must not change it.
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
	if s.cache.version != epoch { // it might have changed since it was read
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

// invalidate removes a client after the commit of a change.
func (c *cache) invalidate(clientID string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.version++
	delete(c.byID, clientID)
}

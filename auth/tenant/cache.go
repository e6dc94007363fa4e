package tenant

import (
	"context"
	"sync"
	"time"
)

const (
	cacheTime = 30 * time.Second // how long a change may take to reach every node
	cacheSize = 10_000
)

// cache keeps the clients that were found; absent ones are looked up each time,
// so that a new client works at once.
type cache struct {
	mu    sync.RWMutex
	byID  map[string]cached
	epoch int // counts what was forgotten, so that nobody keeps what they read before
}

type cached struct {
	client *Client
	until  time.Time
}

// Client returns the client of a public identifier; nil when there is none. What
// this store changed shows at once, what another node did within 30 seconds.
// The client is shared: it must not be changed.
func (s *Store) Client(ctx context.Context, clientID string) (*Client, error) {
	now := s.now()
	s.cache.mu.RLock()
	hit, ok := s.cache.byID[clientID]
	epoch := s.cache.epoch
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
	if s.cache.epoch != epoch { // changed since it was read, perhaps
		return c, nil
	}
	if len(s.cache.byID) >= cacheSize {
		clear(s.cache.byID)
	}
	s.cache.byID[clientID] = cached{c, now.Add(cacheTime)}
	return c, nil
}

// Forget forgets all that is remembered of clients: something of a tenant has changed.
func (s *Store) Forget() {
	s.cache.mu.Lock()
	defer s.cache.mu.Unlock()
	s.cache.epoch++
	clear(s.cache.byID)
}

// forget is called after the commit of a change.
func (c *cache) forget(clientID string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.epoch++
	delete(c.byID, clientID)
}

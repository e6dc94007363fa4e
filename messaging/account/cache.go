package account

import (
	"maps"
	"sync"
	"time"
)

// cacheLifetime is the maximum time for which an outdated key or account is returned.
const cacheLifetime = 30 * time.Second

// cacheSize is the number of values in each of a cache's two halves.
const cacheSize = 15_000

// A cache stores values for a limited time. It stores only existing values, so that guesses cannot fill it. When one
// of its two halves is full, the other is cleared.
type cache[V any] struct {
	mu     sync.RWMutex
	m, old map[string]cached[V]
	epoch  int // incremented by every removal, so that values that were read before it are not stored
}

type cached[V any] struct {
	value V
	until time.Time
}

// get returns a value. If there is none, it returns the epoch to pass to put with a value that is read now.
func (c *cache[V]) get(key string, now time.Time) (v V, epoch int, ok bool) {
	c.mu.RLock()
	e, ok := c.m[key]
	if !ok {
		e, ok = c.old[key]
	}
	epoch = c.epoch
	c.mu.RUnlock()
	if !ok || !now.Before(e.until) {
		return v, epoch, false
	}
	return e.value, epoch, true
}

// put stores a value that was read in the given epoch, unless there was a removal in the meantime.
func (c *cache[V]) put(key string, v V, epoch int, until time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.epoch != epoch {
		return
	}
	if c.m == nil || len(c.m) >= cacheSize {
		c.old, c.m = c.m, map[string]cached[V]{}
	}
	c.m[key] = cached[V]{v, until}
}

func (c *cache[V]) remove(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.epoch++
	delete(c.m, key)
	delete(c.old, key)
}

func (c *cache[V]) removeIf(gone func(V) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.epoch++
	for _, half := range []map[string]cached[V]{c.m, c.old} {
		maps.DeleteFunc(half, func(_ string, e cached[V]) bool { return gone(e.value) })
	}
}

func (c *cache[V]) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.epoch++
	c.m, c.old = nil, nil
}

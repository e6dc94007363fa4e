package account

import (
	"context"
	"maps"
	"sync"
	"time"

	"griot/internal/clock"
	"griot/internal/db"
	"griot/internal/seal"
)

// cacheTime is how long a key or an account that changed may still be seen as it was (DESIGN §8).
const cacheTime = 30 * time.Second

// Directory finds accounts and callers. What it has read it keeps for 30 seconds.
type Directory struct {
	db       *db.DB
	now      clock.Now
	callers  cache[*Caller]  // by the key's hash
	accounts cache[*Account] // by id
}

// NewDirectory returns the directory of a database.
func NewDirectory(d *db.DB, now clock.Now) *Directory {
	return &Directory{db: d, now: now}
}

// Authenticate returns the caller with a key, or nil.
func (d *Directory) Authenticate(ctx context.Context, key string) (*Caller, error) {
	if !wellFormed(key) {
		return nil, nil //nolint:nilnil // no caller is an answer
	}
	hash := seal.Hash(key)
	if c, ok := d.callers.get(hash, d.now()); ok {
		return c, nil
	}
	c, accountID, err := findKey(d.db.Read(ctx), hash)
	if err != nil || c == nil {
		return nil, err
	}
	if c.Account, err = d.Account(ctx, accountID); err != nil || c.Account == nil {
		return nil, err
	}
	d.callers.put(hash, c, d.now())
	return c, nil
}

// Account returns the account with an id, or nil.
func (d *Directory) Account(ctx context.Context, id string) (*Account, error) {
	if a, ok := d.accounts.get(id, d.now()); ok {
		return a, nil
	}
	a, err := findAccount(d.db.Read(ctx), id)
	if err == nil && a != nil {
		d.accounts.put(id, a, d.now())
	}
	return a, err
}

// SenderAt returns the sender with an address on a channel, or nil.
func (d *Directory) SenderAt(ctx context.Context, channel, address string) (*Sender, error) {
	return findSender(d.db.Read(ctx), channel, address)
}

// Forget makes the directory read an account again.
func (d *Directory) Forget(accountID string) {
	d.accounts.remove(accountID)
	d.callers.removeIf(func(c *Caller) bool { return c.Account.ID == accountID })
}

// Changed makes the directory read everything again.
func (d *Directory) Changed() {
	d.callers.clear()
	d.accounts.clear()
}

// cache keeps found values for cacheTime. Only what exists is kept, so that
// guesses cannot fill it.
type cache[V any] struct {
	mu sync.RWMutex
	m  map[string]cached[V]
}

type cached[V any] struct {
	value V
	until time.Time
}

func (c *cache[V]) get(key string, now time.Time) (v V, ok bool) {
	c.mu.RLock()
	e, ok := c.m[key]
	c.mu.RUnlock()
	if !ok || now.After(e.until) {
		return v, false
	}
	return e.value, true
}

func (c *cache[V]) put(key string, v V, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.m == nil {
		c.m = map[string]cached[V]{}
	}
	c.m[key] = cached[V]{v, now.Add(cacheTime)}
}

func (c *cache[V]) remove(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.m, key)
}

func (c *cache[V]) removeIf(gone func(V) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.DeleteFunc(c.m, func(_ string, e cached[V]) bool { return gone(e.value) })
}

func (c *cache[V]) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.m)
}

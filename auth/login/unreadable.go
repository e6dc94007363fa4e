package login

import (
	"context"
	"sync"
	"time"

	"example.com/griot/internal/db"
)

// unreadableEvery is the interval at which unreadable messages at one receiver are stored.
const unreadableEvery = 2 * time.Second

// unreadable has the time of the latest unreadable message at each receiver, in Unix milliseconds, so that polls can say
// it from memory. No time is stored for a login: all that had started before the message show it until their words
// arrive.
type unreadable struct {
	mu sync.RWMutex
	at map[string]int64
}

// set records the time of a message. It returns false if the last one is almost as recent.
func (u *unreadable) set(receiver string, at int64, every time.Duration) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if at-u.at[receiver] < every.Milliseconds() {
		return false
	}
	if u.at == nil {
		u.at = map[string]int64{}
	}
	u.at[receiver] = at
	return true
}

// heldSince returns why a login that started at a time is held up.
func (u *unreadable) heldSince(receiver string, started int64) Held {
	u.mu.RLock()
	defer u.mu.RUnlock()
	if u.at[receiver] > started {
		return MessageUnreadable
	}
	return ""
}

// markUnreadable makes the logins that wait at a receiver say that a message could not be read. They don't say whose it
// was. A person, whose key is [gateway.Inbound.Key], can cause this only as often as they can guess words.
func (s *Service) markUnreadable(ctx context.Context, receiver Receiver, key string) error {
	now := s.now()
	if ok, _ := s.limits.unreadable.Allow(key); !ok || !s.unreadable.set(receiver.PhoneID, now.UnixMilli(), unreadableEvery) {
		return nil
	}
	return s.db.Write(ctx, func(tx *db.Tx) error { return upsertUnreadable(tx, receiver.PhoneID, now) })
}

// refreshUnreadable reads the messages that other nodes, or this one before its start, could not read.
func (s *Service) refreshUnreadable(ctx context.Context, now time.Time) error {
	return eachUnreadable(s.db.Read(ctx), now.Add(-ProveTime), func(receiver string, at int64) { s.unreadable.set(receiver, at, time.Millisecond) })
}

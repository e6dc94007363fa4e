package limit

import (
	"hash/maphash"
	"sync"
	"time"

	"griot/internal/clock"
)

const (
	shardCount = 16
	shardSize  = 16 << 10 // keys of a shard, beyond which full buckets are swept
)

// Limiter counts per key. It is safe for concurrent use.
type Limiter struct {
	now    clock.Now
	every  time.Duration // one more each
	burst  time.Duration // how far ahead of now a key may be
	seed   maphash.Seed
	shards [shardCount]shard
}

type shard struct {
	mu   sync.Mutex
	full map[string]time.Time // when the key's bucket is full again
	next int                  // size at which the shard is swept next
}

// New returns a limiter that allows times in each period, and burst at once.
// times and burst are at least 1.
func New(now clock.Now, times int, period time.Duration, burst int) *Limiter {
	every := period / time.Duration(times)
	l := &Limiter{now: now, every: every, burst: every * time.Duration(burst), seed: maphash.MakeSeed()}
	for i := range l.shards {
		l.shards[i].full, l.shards[i].next = map[string]time.Time{}, shardSize
	}
	return l
}

// Allow takes one from the key's bucket. When it is empty, nothing is taken, and
// retryAfter is the time until there is one.
func (l *Limiter) Allow(key string) (ok bool, retryAfter time.Duration) { return l.ask(key, true) }

// Check reports what Allow would, and takes nothing.
func (l *Limiter) Check(key string) (ok bool, retryAfter time.Duration) { return l.ask(key, false) }

func (l *Limiter) ask(key string, take bool) (bool, time.Duration) {
	now := l.now()
	s := &l.shards[maphash.String(l.seed, key)%shardCount]
	s.mu.Lock()
	defer s.mu.Unlock()
	full := s.full[key]
	if full.Before(now) {
		full = now
	}
	if full.Sub(now) > l.burst { // it never is, unless the clock went back
		full = now.Add(l.burst)
		s.full[key] = full
	}
	full = full.Add(l.every)
	if wait := full.Sub(now) - l.burst; wait > 0 {
		return false, wait
	}
	if take {
		s.sweep(now)
		s.full[key] = full
	}
	return true, 0
}

// sweep forgets the keys whose buckets are full. When an attacker fills the shard
// with others, all are forgotten: memory is bounded, and limits are only too kind for a moment.
func (s *shard) sweep(now time.Time) {
	if len(s.full) < s.next {
		return
	}
	for key, full := range s.full {
		if !full.After(now) {
			delete(s.full, key)
		}
	}
	if len(s.full) >= 4*shardSize {
		clear(s.full)
	}
	s.next = max(shardSize, 2*len(s.full))
}

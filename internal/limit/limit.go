package limit

import (
	"hash/maphash"
	"sync"
	"sync/atomic"
	"time"

	"example.com/griot/internal/clock"
)

const (
	shardCount = 16
	shardSize  = 8 << 10           // keys of a shard
	shardFull  = shardSize * 3 / 4 // keys of a shard, beyond which some are given up: so that a sweep removes many
	shardStart = 256               // keys of a shard, from which on it is swept
)

// Limiter counts per key. It is safe for concurrent use. A nil *Limiter allows everything.
type Limiter struct {
	now    clock.Now
	every  time.Duration // one more each
	burst  time.Duration // how far ahead of now a key may be
	refill atomic.Int64  // before this, in Unix nanoseconds, no bucket is full
	seed   maphash.Seed
	shards [shardCount]shard
}

type shard struct {
	mu   sync.Mutex
	full map[uint64]int64 // when the bucket of a key's hash is full again, in Unix nanoseconds
	next int              // size at which the shard is swept next
}

// New returns a limiter that allows times in each period, and burst at once.
// times and burst are at least 1.
func New(now clock.Now, times int, period time.Duration, burst int) *Limiter {
	every := period / time.Duration(times)
	l := &Limiter{now: now, every: every, burst: every * time.Duration(burst), seed: maphash.MakeSeed()}
	for i := range l.shards {
		l.shards[i].full, l.shards[i].next = map[uint64]int64{}, shardStart
	}
	return l
}

// NewEmpty is [New], but the buckets are empty at first: others may have taken from them until now.
func NewEmpty(now clock.Now, times int, period time.Duration, burst int) *Limiter {
	l := New(now, times, period, burst)
	l.refill.Store(now().UnixNano() + int64(l.burst))
	return l
}

// Allow takes one from the key's bucket. When it is empty, nothing is taken, and
// retryAfter is the time until there is one.
func (l *Limiter) Allow(key string) (ok bool, retryAfter time.Duration) {
	b := l.take(key, true)
	return b.RetryAfter == 0, b.RetryAfter
}

// Check reports what Allow would, and takes nothing.
func (l *Limiter) Check(key string) (ok bool, retryAfter time.Duration) {
	b := l.take(key, false)
	return b.RetryAfter == 0, b.RetryAfter
}

// Bucket is the state of a key's bucket.
type Bucket struct {
	RetryAfter time.Duration // until there is one in it; zero: one was taken
	Remaining  int           // how many are in it now
	Full       time.Duration // until it is full again
}

// Take is [Limiter.Allow], and returns the state of the bucket.
func (l *Limiter) Take(key string) Bucket { return l.take(key, true) }

func (l *Limiter) take(key string, take bool) Bucket {
	if l == nil {
		return Bucket{}
	}
	now := l.now().UnixNano()
	// Anybody may choose a key, of any length: only its hash is kept.
	h := maphash.String(l.seed, key)
	s := &l.shards[h%shardCount]
	s.mu.Lock()
	defer s.mu.Unlock()
	full := max(s.full[h], now, l.refill.Load())
	if ahead := now + int64(l.burst); full > ahead { // it never is, unless the clock went back
		full = ahead
		s.full[h] = full
		l.refill.Store(0)
	}
	full += int64(l.every)
	if wait := time.Duration(full-now) - l.burst; wait > 0 {
		return Bucket{RetryAfter: wait, Full: time.Duration(full-now) - l.every}
	}
	if take {
		s.sweep(now, int64(l.every))
		s.full[h] = full
	}
	return Bucket{Remaining: int((l.burst - time.Duration(full-now)) / l.every), Full: time.Duration(full - now)}
}

// sweep forgets the keys whose buckets are full. A shard that stays too large, because made-up keys fill it, also forgets
// those that took least, so that those that are refused stay refused.
func (s *shard) sweep(now, every int64) {
	if len(s.full) < s.next {
		return
	}
	s.forget(now)
	if len(s.full) > shardFull {
		for slack := every; len(s.full) > shardSize/2; slack *= 2 {
			s.forget(now + slack)
		}
	}
	s.next = min(max(shardStart, 2*len(s.full)), shardSize)
}

// forget drops what is full by a time.
func (s *shard) forget(by int64) {
	for h, full := range s.full {
		if full <= by {
			delete(s.full, h)
		}
	}
}

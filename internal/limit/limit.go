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
	shardFull  = shardSize * 3 / 4 // keys of a shard; beyond it, enough keys are dropped that a sweep removes many
	shardStart = 256               // keys of a shard from which it is swept
)

// Limiter counts per key. It is safe for concurrent use. A nil *Limiter allows everything.
type Limiter struct {
	now    clock.Now
	every  time.Duration // time to refill one token
	burst  time.Duration // maximum lead of a key over now
	refill atomic.Int64  // before this time, in Unix nanoseconds, no bucket is full
	seed   maphash.Seed
	shards [shardCount]shard
}

type shard struct {
	mu   sync.Mutex
	full map[uint64]int64 // time at which the bucket of a key's hash is full again, in Unix nanoseconds
	next int              // size of the next sweep
}

// New returns a limiter that allows times actions in each period, and up to burst actions
// in a row. times and burst must be at least 1.
func New(now clock.Now, times int, period time.Duration, burst int) *Limiter {
	every := period / time.Duration(times)
	l := &Limiter{now: now, every: every, burst: every * time.Duration(burst), seed: maphash.MakeSeed()}
	for i := range l.shards {
		l.shards[i].full, l.shards[i].next = map[uint64]int64{}, shardStart
	}
	return l
}

// NewEmpty returns a limiter whose buckets are empty at first, because other processes might have
// used their tokens; see [New].
func NewEmpty(now clock.Now, times int, period time.Duration, burst int) *Limiter {
	l := New(now, times, period, burst)
	l.refill.Store(now().UnixNano() + int64(l.burst))
	return l
}

// Allow takes one from the key's bucket. If it is empty, nothing is taken, and
// retryAfter is the time until the next token.
func (l *Limiter) Allow(key string) (ok bool, retryAfter time.Duration) {
	return l.AllowN(key, 1)
}

// AllowN takes n from the key's bucket, or all that a full bucket has if n is more. If too few are left, nothing is
// taken, and retryAfter is the time until there are enough. If n is 0 or less, it allows everything.
func (l *Limiter) AllowN(key string, n int) (ok bool, retryAfter time.Duration) {
	if n <= 0 {
		return true, 0
	}
	b := l.take(key, n, true)
	return b.RetryAfter == 0, b.RetryAfter
}

// Check reports the result of Allow without taking a token.
func (l *Limiter) Check(key string) (ok bool, retryAfter time.Duration) {
	b := l.take(key, 1, false)
	return b.RetryAfter == 0, b.RetryAfter
}

// Bucket is the state of a key's bucket.
type Bucket struct {
	RetryAfter time.Duration // until the next token; zero: one was taken
	Remaining  int           // current number of tokens
	Full       time.Duration // until it is full again
}

// Take takes a token like [Limiter.Allow], and returns the state of the bucket.
func (l *Limiter) Take(key string) Bucket { return l.take(key, 1, true) }

func (l *Limiter) take(key string, n int, take bool) Bucket {
	if l == nil {
		return Bucket{}
	}
	now := l.now().UnixNano()
	// Anyone can choose a key, of any length, so only its hash is stored.
	h := maphash.String(l.seed, key)
	s := &l.shards[h%shardCount]
	s.mu.Lock()
	defer s.mu.Unlock()
	full := max(s.full[h], now, l.refill.Load())
	if ahead := now + int64(l.burst); full > ahead { // only possible if the clock went back
		full = ahead
		s.full[h] = full
		l.refill.Store(0)
	}
	cost := min(l.every*time.Duration(n), l.burst)
	full += int64(cost)
	if wait := time.Duration(full-now) - l.burst; wait > 0 {
		return Bucket{RetryAfter: wait, Full: time.Duration(full-now) - cost}
	}
	if take {
		s.sweep(now, int64(l.every))
		s.full[h] = full
	}
	return Bucket{Remaining: int((l.burst - time.Duration(full-now)) / l.every), Full: time.Duration(full - now)}
}

// sweep removes the keys whose buckets are full. If a shard stays too large because it is filled with made-up keys, it
// also removes the keys that used the least, so that refused keys stay refused.
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

// forget removes the keys whose buckets are full by a time.
func (s *shard) forget(by int64) {
	for h, full := range s.full {
		if full <= by {
			delete(s.full, h)
		}
	}
}

package login

import (
	"sync"
	"time"
	"unique"

	"griot/auth/tenant"
	"griot/internal/id"
	"griot/internal/seal"
)

// Bounds of what a node remembers.
const (
	waitShards   = 64
	waitPerShard = 4096        // logins: beyond, polls read the database
	waitSweep    = 256         // logins of a shard, from which on the expired ones are looked for,
	sweepEvery   = time.Second // so often at most
)

// Waiting is a login whose words haven't come yet: all that a poll tells of it.
type Waiting struct {
	Status     Status // PENDING or ACTIVATED
	Mode       tenant.Mode
	Words      string
	TenantName string
	ExpiresAt  time.Time
	At         time.Time
}

// waiter is a Waiting as it is kept, small.
type waiter struct {
	cookie     seal.Digest
	words      string
	tenantName unique.Handle[string]
	expiresAt  int64 // Unix milliseconds, as the next
	trustedTo  int64 // to be read again then
	activated  bool
	test       bool
}

// waiterKey is the random part of a login's id. Should two logins have the same, the one is told to nobody but who has
// its cookie, and the other is read from the database.
type waiterKey [id.Length - timeDigits]byte

func keyOf(sessionID string) (k waiterKey) {
	copy(k[:], sessionID[min(timeDigits, len(sessionID)):])
	return k
}

// waitingRoom holds the logins that wait, so that a poll, which is almost always
// answered PENDING, asks no database. A login that moves is forgotten, and the next
// poll reads its row. It is safe for concurrent use.
type waitingRoom struct{ shards [waitShards]waitShard }

type waitShard struct {
	mu      sync.Mutex
	logins  map[waiterKey]waiter
	forgets uint64
	sweepAt int // logins
	sweptAt time.Time
}

// ticket says when a row was read: before or after its login was forgotten.
type ticket uint64

// shard spreads by the id's last characters, which are random.
func (r *waitingRoom) shard(sessionID string) *waitShard {
	h := uint32(0)
	for i := max(0, len(sessionID)-2); i < len(sessionID); i++ {
		h = h*31 + uint32(sessionID[i])
	}
	return &r.shards[h%waitShards]
}

// ticket is taken before the row is read that keep is called with.
func (r *waitingRoom) ticket(sessionID string) ticket {
	s := r.shard(sessionID)
	s.mu.Lock()
	defer s.mu.Unlock()
	return ticket(s.forgets)
}

// keep remembers a login that waits, for a time at most, unless it may have moved since its row was read.
func (r *waitingRoom) keep(session *Session, now time.Time, trust time.Duration, read ticket) {
	if session.Status != Pending && session.Status != Activated || !now.Before(session.ExpiresAt) {
		return
	}
	cookie, ok := seal.ParseDigest(session.cookieHash)
	if !ok {
		return
	}
	w := waiter{
		cookie: cookie, words: session.Words, tenantName: unique.Make(session.TenantName), expiresAt: session.ExpiresAt.UnixMilli(),
		trustedTo: now.Add(trust).UnixMilli(), activated: session.Status == Activated, test: session.Mode == tenant.Test,
	}
	s := r.shard(session.ID)
	s.mu.Lock()
	defer s.mu.Unlock()
	if ticket(s.forgets) != read {
		return
	}
	if s.sweep(now); len(s.logins) >= waitPerShard {
		return
	}
	if s.logins == nil {
		s.logins = map[waiterKey]waiter{}
	}
	s.logins[keyOf(session.ID)] = w
}

// sweep drops the expired when the shard has doubled since the last time.
func (s *waitShard) sweep(now time.Time) {
	if len(s.logins) < max(s.sweepAt, waitSweep) || now.Sub(s.sweptAt) < sweepEvery {
		return
	}
	for k, w := range s.logins {
		if w.expiresAt <= now.UnixMilli() {
			delete(s.logins, k)
		}
	}
	s.sweepAt, s.sweptAt = min(2*len(s.logins), waitPerShard), now
}

// forget makes the next poll read the row.
func (r *waitingRoom) forget(sessionID string) {
	s := r.shard(sessionID)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forgets++
	delete(s.logins, keyOf(sessionID))
}

// look returns a login that waits, if it is remembered and still believed.
func (r *waitingRoom) look(sessionID string, now time.Time) (waiter, bool) {
	s := r.shard(sessionID)
	at := now.UnixMilli()
	s.mu.Lock()
	defer s.mu.Unlock()
	k := keyOf(sessionID)
	w, ok := s.logins[k]
	if ok && (at >= w.expiresAt || at >= w.trustedTo) {
		delete(s.logins, k)
		return waiter{}, false
	}
	return w, ok
}

// empty reports whether nobody waits.
func (r *waitingRoom) empty() bool {
	for i := range r.shards {
		s := &r.shards[i]
		s.mu.Lock()
		n := len(s.logins)
		s.mu.Unlock()
		if n > 0 {
			return false
		}
	}
	return true
}

// Waiting returns a login of the browser's that this node knows to wait for its
// words. When it returns false, [Service.Owned] and [Service.HandBack] say what is so.
func (s *Service) Waiting(sessionID string, tokens []string) (Waiting, bool) {
	now := s.now()
	if !s.fresh(now) {
		return Waiting{}, false
	}
	w, ok := s.waiting.look(sessionID, now)
	if !ok {
		return Waiting{}, false
	}
	for _, t := range tokens {
		if w.cookie.Of(t) {
			return w.tell(now), true
		}
	}
	return Waiting{}, false
}

func (w *waiter) tell(now time.Time) Waiting {
	told := Waiting{
		Status: Pending, Mode: tenant.Live, Words: w.words, TenantName: w.tenantName.Value(),
		ExpiresAt: time.UnixMilli(w.expiresAt).UTC(), At: now,
	}
	if w.activated {
		told.Status = Activated
	}
	if w.test {
		told.Mode = tenant.Test
	}
	return told
}

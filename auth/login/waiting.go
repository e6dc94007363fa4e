package login

import (
	"sync"
	"time"
	"unique"

	"example.com/griot/auth/oauth"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/id"
	"example.com/griot/internal/seal"
)

// Bounds of the cache.
const (
	cacheShards = 64
	maxPerShard = 4096        // logins; polls of further ones read the database
	minSweep    = 256         // logins of a shard before expired ones are deleted
	sweepEvery  = time.Second // at most
)

// Waiting is the response to a poll of a login whose words haven't arrived yet.
type Waiting struct {
	Status     Status // PENDING or ACTIVATED
	Mode       tenant.Mode
	Words      string
	TenantName string
	ClientID   string
	Host       string // to which the browser returns; see [oauth.Host]
	ExpiresAt  time.Time
	At         time.Time
	Held       Held // why it waits although a message has arrived; empty for most
	NoReceiver bool // see [Service.Unreachable]
}

// cachedLogin is the compact form of a [Waiting].
type cachedLogin struct {
	cookie    seal.Digest
	words     string
	client    unique.Handle[waitingClient]
	expiresAt int64 // Unix milliseconds
	early     int32 // milliseconds before expiresAt at which the row is read again
	begin     [timeDigits]byte
	activated bool
	test      bool
	held      heldCode
}

// waitingClient is the data that the logins of a client at a receiver share.
type waitingClient struct{ id, tenantName, receiver, host string }

// cacheKey is the random part of a login's id; the other part is compared with cachedLogin.begin, where it takes no
// more memory. If two logins share a random part, only one of them is cached, and polls of the other read the database.
type cacheKey [id.Length - timeDigits]byte

const timeDigits = 10 // of an id

// keyOf returns the random part of an id, and the part before it.
func keyOf(sessionID string) (k cacheKey, begin [timeDigits]byte) {
	copy(k[:], sessionID[copy(begin[:], sessionID):])
	return k, begin
}

// waitingCache holds the logins that wait, so that a poll, whose response is almost
// always PENDING, doesn't read the database. A login that changes is evicted, and the
// next poll reads its row. It is safe for concurrent use.
type waitingCache struct{ shards [cacheShards]cacheShard }

type cacheShard struct {
	mu      sync.Mutex
	logins  map[cacheKey]cachedLogin
	version cacheVersion
	sweepAt int // logins
	sweptAt time.Time
}

// cacheVersion counts the evictions of a shard. A row that was read at another version might be stale.
type cacheVersion uint64

// shard chooses a shard by the id's last characters, which are random.
func (c *waitingCache) shard(sessionID string) *cacheShard {
	h := uint32(0)
	for i := max(0, len(sessionID)-2); i < len(sessionID); i++ {
		h = h*31 + uint32(sessionID[i])
	}
	return &c.shards[h%cacheShards]
}

// version returns the shard's version. It must be called before reading the row for put.
func (c *waitingCache) version(sessionID string) cacheVersion {
	s := c.shard(sessionID)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.version
}

// put stores a login that waits, for at most a time, unless it might have changed since its row was read.
func (c *waitingCache) put(session *Session, now time.Time, atMost time.Duration, version cacheVersion) {
	if session.Status != Pending && session.Status != Activated || !now.Before(session.ExpiresAt) {
		return
	}
	cookie, ok := seal.ParseDigest(session.cookieHash)
	if !ok {
		return
	}
	key, begin := keyOf(session.ID)
	w := cachedLogin{
		cookie: cookie, words: session.Words, client: unique.Make(waitingClient{session.ClientID, session.TenantName, session.Receiver, oauth.Host(session.RedirectURI)}), expiresAt: session.ExpiresAt.UnixMilli(), begin: begin,
		early:     int32(max(0, session.ExpiresAt.Sub(now.Add(atMost)).Milliseconds())), // at most ProveTime
		activated: session.Status == Activated, test: session.Mode == tenant.Test, held: session.heldBy(),
	}
	s := c.shard(session.ID)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.version != version {
		return
	}
	if s.sweep(now); len(s.logins) >= maxPerShard {
		return
	}
	if s.logins == nil {
		s.logins = map[cacheKey]cachedLogin{}
	}
	s.logins[key] = w
}

// sweep deletes the expired logins if the shard has doubled since the last sweep.
func (s *cacheShard) sweep(now time.Time) {
	if len(s.logins) < max(s.sweepAt, minSweep) || now.Sub(s.sweptAt) < sweepEvery {
		return
	}
	for k, w := range s.logins {
		if w.expiresAt <= now.UnixMilli() {
			delete(s.logins, k)
		}
	}
	s.sweepAt, s.sweptAt = min(2*len(s.logins), maxPerShard), now
}

// evict makes the next poll of a login read its row.
func (c *waitingCache) evict(sessionID string) {
	s := c.shard(sessionID)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version++
	k, _ := keyOf(sessionID)
	delete(s.logins, k)
}

// get returns a login that waits, if it is cached and still valid.
func (c *waitingCache) get(sessionID string, now time.Time) (cachedLogin, bool) {
	s := c.shard(sessionID)
	at := now.UnixMilli()
	s.mu.Lock()
	defer s.mu.Unlock()
	k, begin := keyOf(sessionID)
	w, ok := s.logins[k]
	if !ok || w.begin != begin {
		return cachedLogin{}, false
	}
	if at >= w.expiresAt-int64(w.early) {
		delete(s.logins, k)
		return cachedLogin{}, false
	}
	return w, true
}

// empty reports whether no login is cached.
func (c *waitingCache) empty() bool {
	for i := range c.shards {
		s := &c.shards[i]
		s.mu.Lock()
		n := len(s.logins)
		s.mu.Unlock()
		if n > 0 {
			return false
		}
	}
	return true
}

// Waiting returns a login of the browser that is cached as waiting for its words. If it
// returns false, [Service.Owned] and [Service.HandBack] read its state.
func (s *Service) Waiting(sessionID string, tokens []string) (Waiting, bool) {
	now := s.now()
	if !s.fresh(now) {
		return Waiting{}, false
	}
	w, ok := s.waiting.get(sessionID, now)
	if !ok {
		return Waiting{}, false
	}
	for _, t := range tokens {
		if w.cookie.Of(t) {
			out := w.waiting(now)
			out.NoReceiver = s.unreachable(out.Mode, w.client.Value().receiver)
			if out.Held == "" {
				out.Held = s.unreadable.heldSince(w.client.Value().receiver, w.expiresAt-ProveTime.Milliseconds())
			}
			return out, true
		}
	}
	return Waiting{}, false
}

func (w *cachedLogin) waiting(now time.Time) Waiting {
	client := w.client.Value()
	out := Waiting{
		Status: Pending, Mode: tenant.Live, Words: w.words, TenantName: client.tenantName, ClientID: client.id, Host: client.host,
		ExpiresAt: time.UnixMilli(w.expiresAt).UTC(), At: now, Held: heldReasons[w.held],
	}
	if w.activated {
		out.Status = Activated
	}
	if w.test {
		out.Mode = tenant.Test
	}
	return out
}

package smpp

import (
	"crypto/sha256"
	"sync"
	"sync/atomic"
	"time"

	"example.com/griot/internal/id"
)

const (
	dedupSize   = 5_000            // of each of two halves
	ackMargin   = 5 * time.Second  // a response sent this soon after the last unit received on a connection might be lost
	repeatLimit = 15 * time.Minute // centers that got no response deliver again within this time
)

// linkHistory is the data of a link that is kept after it has closed.
type linkHistory struct {
	lastReceived atomic.Int64 // Unix time in milliseconds
	ended        atomic.Bool
}

// deduplicator recognizes messages that the center delivers again. Inbound messages have no ID in SMPP, and a person
// might write the same text twice. Therefore, the same body is the same message only if the center has a reason to
// repeat it: it was refused, or the connection ended before our response has certainly arrived.
type deduplicator struct {
	mu            sync.Mutex
	size          int
	recent, older map[[32]byte]*seenMessage
}

type seenMessage struct {
	id   string
	link *linkHistory // the link on which it was acknowledged; nil while it is not stored
	at   time.Time
}

// identity is the ID of a deliver_sm. It is new, or the ID of the message that the deliver_sm repeats.
type identity struct {
	key    [32]byte
	id     string
	stored bool // the message repeats a stored one
}

func newDeduplicator(size int) *deduplicator {
	return &deduplicator{size: size, recent: map[[32]byte]*seenMessage{}}
}

// identify returns the identity of a body received on a link.
func (s *deduplicator) identify(body []byte, on *linkHistory, at time.Time) identity {
	d := identity{key: sha256.Sum256(body)}
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.recent[d.key]
	if known == nil {
		known = s.older[d.key]
	}
	switch {
	case known == nil:
	case known.link == nil:
		d.id = known.id
		return d
	case known.mayBeRepeated(on, at):
		d.id, d.stored = known.id, true
		delete(s.recent, d.key) // only once
		delete(s.older, d.key)
		return d
	}
	d.id = id.Random()
	s.put(d.key, &seenMessage{id: d.id, at: at})
	return d
}

func (k *seenMessage) mayBeRepeated(on *linkHistory, at time.Time) bool {
	lastReceived := time.UnixMilli(k.link.lastReceived.Load())
	return k.link != on && k.link.ended.Load() && !k.at.Before(lastReceived.Add(-ackMargin)) && at.Sub(k.at) < repeatLimit
}

// markStored records that the sink has stored a message, which is about to be acknowledged on a link.
func (s *deduplicator) markStored(d identity, on *linkHistory, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.put(d.key, &seenMessage{id: d.id, link: on, at: at})
}

func (s *deduplicator) put(key [32]byte, k *seenMessage) {
	if len(s.recent) >= s.size {
		s.older, s.recent = s.recent, make(map[[32]byte]*seenMessage, s.size)
	}
	s.recent[key] = k
}

package smpp

import (
	"crypto/sha256"
	"sync"
	"sync/atomic"
	"time"

	"griot/internal/id"
)

const (
	seenSize  = 5_000            // of each of two halves
	inDoubt   = 5 * time.Second  // an answer within so long of a connection's last sign of life may not have arrived
	broughtBy = 15 * time.Minute // centers that got no answer try again by then
)

// visit is what is remembered of a connection that may be gone.
type visit struct {
	heard atomic.Int64 // when the center last said something, in milliseconds
	over  atomic.Bool
}

// seen recognises a message that the center brings again. SMPP gives what people
// write no id; a person may well write the same twice, so that the same content is
// the same message only if the center has a reason to bring it again: we refused it,
// or the connection ended before our answer is sure to have arrived.
type seen struct {
	mu       sync.Mutex
	size     int
	now, old map[[32]byte]*sighting
}

type sighting struct {
	id    string
	visit *visit // on which it was answered; nil while it isn't stored
	at    time.Time
}

// delivery is a message as it comes in this time.
type delivery struct {
	key    [32]byte
	id     string
	stored bool // it was, under that id
}

func newSeen(size int) *seen { return &seen{size: size, now: map[[32]byte]*sighting{}} }

// delivery looks at a body that came in on a visit.
func (s *seen) delivery(body []byte, on *visit, at time.Time) delivery {
	d := delivery{key: sha256.Sum256(body)}
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.now[d.key]
	if known == nil {
		known = s.old[d.key]
	}
	switch {
	case known == nil:
	case known.visit == nil:
		d.id = known.id
		return d
	case known.mayComeAgain(on, at):
		d.id, d.stored = known.id, true
		delete(s.now, d.key) // once
		delete(s.old, d.key)
		return d
	}
	d.id = id.Random()
	s.put(d.key, &sighting{id: d.id, at: at})
	return d
}

func (k *sighting) mayComeAgain(on *visit, at time.Time) bool {
	heard := time.UnixMilli(k.visit.heard.Load())
	return k.visit != on && k.visit.over.Load() && !k.at.Before(heard.Add(-inDoubt)) && at.Sub(k.at) < broughtBy
}

// stored says that the sink has it, and that the answer is about to be written on a visit.
func (s *seen) stored(d delivery, on *visit, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.put(d.key, &sighting{id: d.id, visit: on, at: at})
}

func (s *seen) put(key [32]byte, k *sighting) {
	if len(s.now) >= s.size {
		s.old, s.now = s.now, make(map[[32]byte]*sighting, s.size)
	}
	s.now[key] = k
}

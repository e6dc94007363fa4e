package virtual

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"griot/gateway"
)

// What memory keeps at most. Whoever needs more uses a file.
const (
	memoryEach     = 500     // messages of a phone
	memoryAll      = 20_000  // messages
	memoryAttempts = 10_000  // attempts
	memoryRefs     = 100_000 // references that are not delivered again
	memoryWaiting  = 65_536  // messages of phones that wait for the sink; receipts wait however many they are
)

// memory is the store in memory.
type memory struct {
	log *slog.Logger

	mu     sync.Mutex
	lists  shelves
	tries  ring[attempt]
	refs   map[string]string // reference -> id of the message that it was first delivered as
	order  ring[string]      // of refs
	toTell queue[gateway.Receipt]
	toGive queue[*slot]
	warned bool
}

func newMemory(log *slog.Logger) *memory {
	return &memory{
		log:    log,
		lists:  shelves{each: memoryEach, all: memoryAll, byOwner: map[string]*shelf{}},
		tries:  ring[attempt]{limit: memoryAttempts},
		refs:   map[string]string{},
		order:  ring[string]{limit: memoryRefs},
		toTell: queue[gateway.Receipt]{},
		toGive: queue[*slot]{limit: memoryWaiting},
	}
}

func (s *memory) close() error { return nil }

func (s *memory) deliver(_ context.Context, m *message, try attempt, once bool) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	first, known := s.refs[m.ref]
	again := known && once
	try.outcome = try.settledOutcome(again)
	s.tries.push(try)
	if again {
		return first, nil
	}
	if !known && m.ref != "" {
		if gone, full := s.order.push(m.ref); full {
			delete(s.refs, gone)
		}
		s.refs[m.ref] = m.id
	}
	n := s.lists.add(m)
	if !m.hidden() {
		s.arrived(s.lists.byOwner[m.owner], n, m.at, m.quiet)
	}
	return m.id, nil
}

// arrived: the phone has a received message.
func (s *memory) arrived(sh *shelf, n *slot, at time.Time, quiet bool) {
	n.status = statusDelivered
	sh.unread++
	sh.lastAt = at
	if !quiet {
		s.tell(n.receipt(gateway.ReceiptDelivered, at))
	}
}

func (s *memory) tell(r gateway.Receipt) {
	s.toTell.push(r)
}

// overflow says once that the sink is too slow for memory.
func (s *memory) overflow() {
	if !s.warned {
		s.warned = true
		s.log.Warn("virtual phones: too much waits for the sink; what memory cannot hold is dropped", "limit", memoryWaiting)
	}
}

func (s *memory) first(_ context.Context, ref string) (id string, known bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id, known = s.refs[ref]
	return id, known, nil
}

func (s *memory) record(_ context.Context, try attempt) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tries.push(try)
	return nil
}

func (s *memory) release(_ context.Context, address string, at time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lists.of(address, func(sh *shelf, n *slot) {
		if n.hidden() {
			s.arrived(sh, n, at, false)
		}
	})
	return nil
}

func (s *memory) read(_ context.Context, address, id string, at time.Time) (found bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lists.of(address, func(sh *shelf, n *slot) {
		if n.id != id || n.direction != received || n.hidden() {
			return
		}
		found = true
		if !n.unread() {
			return
		}
		n.status = statusRead
		sh.unread--
		if n.channel == gateway.WhatsApp {
			s.tell(n.receipt(gateway.ReceiptRead, at))
		}
	})
	return found, nil
}

func (s *memory) write(_ context.Context, m *message) (seq int64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.lists.add(m)
	s.lists.byOwner[m.owner].lastAt = m.at
	seq, ok := s.toGive.push(n)
	if !ok {
		s.overflow()
	}
	return seq, nil
}

package virtual

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"example.com/griot/gateway"
)

// Limits of the store in memory. A file has none.
const (
	memoryPerOwner = 500     // messages per phone
	memoryTotal    = 20_000  // messages in total
	memoryAttempts = 10_000  // attempts in total
	memoryRefs     = 100_000 // references that are not delivered again
	memoryInbound  = 65_536  // messages of phones that wait for the sink, and changes; receipts have no limit
)

// memory is the store in memory.
type memory struct {
	log *slog.Logger

	mu              sync.Mutex
	lists           messageLists
	attemptLog      ring[attempt]
	refs            map[string]string // reference -> id of the message that it was first delivered as
	refOrder        ring[string]      // the keys of refs, by age
	pendingReceipts queue[gateway.Receipt]
	pendingInbound  queue[*listEntry]
	pendingChanges  queue[gateway.Change]
	warned          bool
}

func newMemory(log *slog.Logger) *memory {
	return &memory{
		log:             log,
		lists:           messageLists{perOwner: memoryPerOwner, total: memoryTotal, byOwner: map[string]*phoneList{}},
		attemptLog:      ring[attempt]{limit: memoryAttempts},
		refs:            map[string]string{},
		refOrder:        ring[string]{limit: memoryRefs},
		pendingReceipts: queue[gateway.Receipt]{},
		pendingInbound:  queue[*listEntry]{limit: memoryInbound},
		pendingChanges:  queue[gateway.Change]{limit: memoryInbound},
	}
}

func (s *memory) close() error { return nil }

func (s *memory) deliver(_ context.Context, m *message, att attempt, once bool) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	first, known := s.refs[m.ref]
	again := known && once
	att.outcome = att.finalOutcome(again)
	s.attemptLog.push(att)
	if again {
		return first, nil
	}
	if !known && m.ref != "" {
		if gone, full := s.refOrder.push(m.ref); full {
			delete(s.refs, gone)
		}
		s.refs[m.ref] = m.id
	}
	n := s.lists.add(m)
	if !m.hidden() {
		s.markDelivered(s.lists.byOwner[m.owner], n, m.at, m.noReceipt)
	}
	return m.id, nil
}

// markDelivered marks a received message as delivered and queues its receipt.
func (s *memory) markDelivered(sh *phoneList, n *listEntry, at time.Time, noReceipt bool) {
	n.status = statusDelivered
	sh.unread++
	sh.lastAt = at
	if !noReceipt {
		s.queueReceipt(n.receipt(gateway.ReceiptDelivered, at))
	}
}

func (s *memory) queueReceipt(r gateway.Receipt) {
	s.pendingReceipts.push(r)
}

// warnFull logs once that the queue of inbound messages or changes is full.
func (s *memory) warnFull() {
	if !s.warned {
		s.warned = true
		s.log.Warn("virtual phones: too many messages wait for the sink; further ones are dropped", "limit", memoryInbound)
	}
}

func (s *memory) first(_ context.Context, ref string) (id string, known bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id, known = s.refs[ref]
	return id, known, nil
}

func (s *memory) record(_ context.Context, att attempt) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.attemptLog.push(att)
	return nil
}

func (s *memory) release(_ context.Context, address string, at time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lists.forEach(address, func(sh *phoneList, n *listEntry) {
		if n.hidden() {
			s.markDelivered(sh, n, at, false)
		}
	})
	return nil
}

func (s *memory) read(_ context.Context, address, id string, at time.Time) (found bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lists.forEach(address, func(sh *phoneList, n *listEntry) {
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
			s.queueReceipt(n.receipt(gateway.ReceiptRead, at))
		}
	})
	return found, nil
}

func (s *memory) write(_ context.Context, m *message) (seq int64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := *m
	n := s.lists.add(&own)
	s.lists.byOwner[m.owner].lastAt = m.at
	seq, ok := s.pendingInbound.push(n)
	if !ok {
		s.warnFull()
	}
	return seq, nil
}

func (s *memory) revise(_ context.Context, address, id string, apply func(m *message) (gateway.Change, error)) (found bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lists.forEach(address, func(_ *phoneList, n *listEntry) {
		if n.id != id || n.message.hidden() {
			return
		}
		found = true
		m := *n.message
		var c gateway.Change
		if c, err = apply(&m); err == nil {
			*n.message = m
			s.queueChange(c)
		}
	})
	return found, err
}

func (s *memory) queueChange(c gateway.Change) {
	if _, ok := s.pendingChanges.push(c); !ok {
		s.warnFull()
	}
}

// people returns nobody, because memory does not survive a restart.
func (s *memory) people(context.Context) ([]person, error) { return nil, nil }

func (s *memory) changePeople(_ context.Context, _ []person, changes []gateway.Change) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range changes {
		s.queueChange(c)
	}
	return nil
}

package smsgate

import (
	"hash/maphash"
	"sync"
)

// deliveriesSize is how many messages each of the two halves holds: some megabytes in all.
const deliveriesSize = 20_000

// maxParts is the most parts of an SMS.
const maxParts = 255

// deliveries counts the parts of messages that were delivered. The app reports each part alone, and doesn't number them.
// It is in memory: after a restart, and on another node, a message counts as one of a single part.
type deliveries struct {
	mu            sync.Mutex
	size          int
	recent, older map[string]*delivery // by reference
	seed          maphash.Seed
}

// delivery is the state of one message.
type delivery struct {
	total     int             // of its parts; 0: unknown
	delivered map[uint64]bool // hashes of the events that report a delivered part
	unnamed   int             // such events without an id
	failed    bool            // at least one part has failed
}

func newDeliveries(size int) *deliveries {
	return &deliveries{size: size, recent: map[string]*delivery{}, seed: maphash.MakeSeed()}
}

// estimate records how many parts a message has unless the app says so.
func (d *deliveries) estimate(ref string, total int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if m := d.of(ref); m.total == 0 {
		m.total = total
	}
}

// expect records how many parts a message has, as the app says; 0: it doesn't.
func (d *deliveries) expect(ref string, total int) {
	if total < 1 || total > maxParts {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.of(ref).total = total
}

// fail records that a part of a message, or the message, has failed.
func (d *deliveries) fail(ref string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.of(ref).failed = true
}

// deliver records an event that reports a delivered part; one with the same id is the same event, and one without an id
// is another.
func (d *deliveries) deliver(ref, id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	m := d.of(ref)
	switch {
	case id != "" && len(m.delivered) < maxParts:
		m.delivered[maphash.String(d.seed, id)] = true
	case id == "" && m.unnamed < maxParts:
		m.unnamed++
	}
}

// complete reports whether all parts of a message are delivered.
func (d *deliveries) complete(ref string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	m := d.of(ref)
	count := len(m.delivered) + m.unnamed
	if m.total == 0 { // of a single part, as far as is known
		return !m.failed && count > 0
	}
	return count >= m.total
}

// of returns the state of a message. The caller holds mu.
func (d *deliveries) of(ref string) *delivery {
	m := d.recent[ref]
	if m != nil {
		return m
	}
	if m = d.older[ref]; m == nil {
		m = &delivery{delivered: map[uint64]bool{}}
	}
	if len(d.recent) >= d.size {
		d.older, d.recent = d.recent, make(map[string]*delivery, d.size)
	}
	d.recent[ref] = m
	return m
}

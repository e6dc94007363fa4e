package smpp

import (
	"sync"

	"griot/gateway"
)

// bookSize is how many ids each of the book's two halves has: some megabytes in all.
const bookSize = 20_000

// book remembers which of our references a center's id belongs to. It forgets the
// oldest half when it is full, so that receipts which take long carry the id alone.
type book struct {
	mu       sync.Mutex
	size     int
	now, old map[string]*entry
}

type entry struct {
	parcel
	delivered bool
}

// group is what is known of a message in segments. The book's lock guards it.
type group struct {
	total     int
	delivered int
	last      string // id of the last segment, which stands for the message; "" until it was taken
}

func newBook(size int) *book { return &book{size: size, now: map[string]*entry{}} }

// add writes down whose an id is.
func (b *book) add(id string, p parcel) {
	if id == "" {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.now) >= b.size {
		b.old, b.now = b.now, make(map[string]*entry, b.size)
	}
	b.now[id] = &entry{parcel: p}
}

// complete says that the last segment of a message was taken.
func (b *book) complete(g *group, last string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	g.last = last
}

func (b *book) find(id string) *entry {
	if e := b.now[id]; e != nil {
		return e
	}
	return b.old[id]
}

func (b *book) knows(ids []string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, id := range ids {
		if b.find(id) != nil {
			return true
		}
	}
	return false
}

// read makes a report of one segment (known by one of ids) into one of its message;
// ok is false while nothing can be said of that yet. A message is delivered when all
// segments are, and has failed when one has. Reading the same report again gives the same.
func (b *book) read(ids []string, r gateway.Receipt) (gateway.Receipt, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	r.ProviderID = ids[0]
	for _, id := range ids {
		e := b.find(id)
		if e == nil {
			continue
		}
		r.Ref, r.ProviderID = e.ref, id
		g := e.group
		if g == nil {
			return r, true
		}
		r.ProviderID = g.last
		if r.Status != gateway.ReceiptDelivered {
			return r, r.Status == gateway.ReceiptFailed || g.last != ""
		}
		if !e.delivered {
			e.delivered = true
			g.delivered++
		}
		return r, g.delivered == g.total
	}
	return r, true
}

package smpp

import (
	"sync"

	"example.com/griot/gateway"
)

// messageIDsSize is the number of IDs in each of the two halves, which use some megabytes in total.
const messageIDsSize = 20_000

// messageIDs maps the center's message IDs to our references. When it is full, it drops the older half. Later
// receipts with those IDs have only the center's ID.
type messageIDs struct {
	mu            sync.Mutex
	size          int
	recent, older map[string]*messageID
}

type messageID struct {
	outgoing
	delivered bool
}

// multipart counts the receipts of a message in segments. The lock of messageIDs guards it.
type multipart struct {
	total     int
	delivered int
	lastID    string // id of the last segment, which is the ProviderID; "" until it was accepted
}

func newMessageIDs(size int) *messageIDs {
	return &messageIDs{size: size, recent: map[string]*messageID{}}
}

// add stores the message of an id.
func (b *messageIDs) add(id string, p outgoing) {
	if id == "" {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.recent) >= b.size {
		b.older, b.recent = b.recent, make(map[string]*messageID, b.size)
	}
	b.recent[id] = &messageID{outgoing: p}
	if p.last { // set here and not when Send continues, because the receipt might be read before that
		p.multipart.lastID = id
	}
}

func (b *messageIDs) find(id string) *messageID {
	if e := b.recent[id]; e != nil {
		return e
	}
	return b.older[id]
}

func (b *messageIDs) knows(ids []string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, id := range ids {
		if b.find(id) != nil {
			return true
		}
	}
	return false
}

// messageReceipt converts the receipt of one segment, known by one of ids, to the receipt of its message. ok is false
// until there is one. A message is delivered when all its segments are, and failed when one is. A repeated receipt
// has the same result.
func (b *messageIDs) messageReceipt(ids []string, r gateway.Receipt) (gateway.Receipt, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	r.ProviderID = ids[0]
	for _, id := range ids {
		e := b.find(id)
		if e == nil {
			continue
		}
		r.Ref, r.ProviderID = e.ref, id
		g := e.multipart
		if g == nil {
			return r, true
		}
		r.ProviderID = g.lastID
		if r.Status != gateway.ReceiptDelivered {
			return r, r.Status == gateway.ReceiptFailed || g.lastID != ""
		}
		if !e.delivered {
			e.delivered = true
			g.delivered++
		}
		return r, g.delivered == g.total
	}
	return r, true
}

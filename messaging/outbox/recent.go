package outbox

import (
	"sync"

	"example.com/griot/messaging/message"
)

// maxRecent is how many messages a process remembers.
const maxRecent = 4096

// recent holds the messages that this process has handed over last, so that their receipts, which mostly come at once,
// don't read them. It is safe for concurrent use.
type recent struct {
	mu   sync.Mutex
	byID map[string]*message.Message
	ids  [maxRecent]string // in the order in which they were added, from next on
	next int
}

// written remembers a message as a transition has stored it, if a receipt is to be expected, and forgets it otherwise. What
// only another attempt or another route needs is left out.
func (r *recent) written(t *Transition) {
	waits := t.Message.RequestedChannel != message.Auto && (t.Message.Status == message.Sent || t.Message.Status == message.Delivered)
	if !waits {
		r.forget(t.Message.ID)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.byID == nil {
		r.byID = map[string]*message.Message{}
	}
	m := *t.Message
	m.Version++
	m.Content, m.Sealed, m.Timeline = message.Content{}, "", ""
	if _, known := r.byID[m.ID]; !known {
		delete(r.byID, r.ids[r.next])
		r.ids[r.next] = m.ID
		r.next = (r.next + 1) % maxRecent
	}
	r.byID[m.ID] = &m
}

func (r *recent) forget(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.byID, id)
}

// Recent returns a message that this process has handed over lately to its only route, without its content and timeline,
// or nil. Other processes may have changed, erased, or deleted it since: what is decided about it holds once [Store.Apply]
// has written it, and that nothing is to be done is not decided by it. The message must not be changed.
func (s *Store) Recent(id string) *message.Message {
	s.recent.mu.Lock()
	defer s.recent.mu.Unlock()
	return s.recent.byID[id]
}

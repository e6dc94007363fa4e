package outbox

import (
	"sync"

	"example.com/griot/gateway"
	"example.com/griot/messaging/message"
)

// maxRecent is the maximum number of messages that a process remembers.
const maxRecent = 4096

// recent contains the messages that this process has submitted last, so that their receipts, which mostly arrive
// soon, do not read them from the database. It is safe for concurrent use.
type recent struct {
	mu   sync.Mutex
	byID map[string]*message.Message
	ids  [maxRecent]string // in the order in which they were added, starting at next
	next int
}

// written remembers a message in the state that a transition has stored, if a receipt is expected, and forgets it
// otherwise. It leaves out data that only another attempt or another route needs, and keeps the
// name of the template.
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
	if of := t.Message.Content.Template; of != nil {
		m.Content.Template = &gateway.Template{Name: of.Name, Language: of.Language}
	}
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

// Recent returns a message that this process has recently submitted to its only route, without its timeline and
// its content except for the name of the template, or nil. Other processes might have changed, erased, or deleted it since. Therefore, a decision about it
// is valid only after [Store.Apply] has written it, and it must not be used to decide that nothing has to be done.
// The message must not be changed.
func (s *Store) Recent(id string) *message.Message {
	s.recent.mu.Lock()
	defer s.recent.mu.Unlock()
	return s.recent.byID[id]
}

package outbox

import (
	"container/list"
	"math"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
	"unsafe"

	"example.com/griot/gateway"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/failpoint"
	"example.com/griot/messaging/message"
)

// Limits of the messages that a process remembers.
const (
	maxRecent      = 4096
	maxRecentBytes = 4 << 20
	recentTime     = 10 * time.Second // for which a waiting message is remembered
	memoryPressure = 0.9              // share of the process's memory limit above which it remembers nothing
)

// recent contains messages that this process has just stored, so that they aren't read from the database: accepted ones
// that wait for their turn, and submitted ones whose receipts are expected. It is only a copy: the version of a row
// decides whether a write about a remembered message is valid. Sensitive messages are never in it. It is safe for
// concurrent use.
type recent struct {
	mu    sync.Mutex
	byID  map[string]*list.Element
	order list.List // of remembered, in the order in which they were added
	bytes int
	full  bool // of memory: nothing is remembered
}

// remembered is a message that must not be changed.
type remembered struct {
	message *message.Message
	bytes   int
	at      time.Duration // clock reading
}

// accepted remembers a message that waits for its turn.
func (r *recent) accepted(m *message.Message) {
	if m.Status == message.Queued && m.DueAt.IsZero() && !m.Sensitive {
		r.add(m)
	}
}

// written remembers a message in the state that a transition has stored, if a receipt is expected, and forgets it
// otherwise. It leaves out data that only another attempt or another route needs, and keeps the name of the template.
func (r *recent) written(t *Transition) {
	waits := t.Message.RequestedChannel != message.Auto && (t.Message.Status == message.Sent || t.Message.Status == message.Delivered)
	if !waits || t.Message.Sensitive {
		r.forget(t.Message.ID)
		return
	}
	m := *t.Message
	m.Version++
	m.Content, m.Timeline = message.Content{}, ""
	if of := t.Message.Content.Template; of != nil {
		m.Content.Template = &gateway.Template{Name: of.Name, Language: of.Language}
	}
	r.add(&m)
}

func (r *recent) add(m *message.Message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.byID == nil {
		r.byID = map[string]*list.Element{}
	}
	r.remove(r.byID[m.ID])
	if r.full {
		return
	}
	e := &remembered{message: m, bytes: sizeOf(m), at: clock.Running()}
	r.byID[m.ID] = r.order.PushBack(e)
	for r.bytes += e.bytes; r.bytes > maxRecentBytes || len(r.byID) > maxRecent; {
		r.remove(r.order.Front())
	}
}

// remove removes an element of order. nil means none.
func (r *recent) remove(el *list.Element) {
	if el == nil {
		return
	}
	e := r.order.Remove(el).(*remembered) //nolint:forcetypeassert // only these are added
	r.bytes -= e.bytes
	delete(r.byID, e.message.ID)
}

func (r *recent) forget(id string) {
	if failpoint.Has(failpoint.NoEviction) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.remove(r.byID[id])
}

// get returns a message that was submitted, or nil.
func (r *recent) get(id string) *message.Message {
	r.mu.Lock()
	defer r.mu.Unlock()
	if el := r.byID[id]; el != nil {
		if m := el.Value.(*remembered).message; m.Status != message.Queued { //nolint:forcetypeassert // only these are added
			return m
		}
	}
	return nil
}

// take returns a message that waits for its turn, and forgets it. It returns nil if the message is unknown.
func (r *recent) take(id string) (m *message.Message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	el := r.byID[id]
	if el == nil {
		return nil
	}
	if m = el.Value.(*remembered).message; m.Status != message.Queued { //nolint:forcetypeassert // only these are added
		return nil
	}
	r.remove(el)
	return m
}

// entryBytes is the size of the maps, lists, and IDs that belong to a remembered message.
const entryBytes = 512

// sizeOf estimates the bytes that a message occupies.
func sizeOf(m *message.Message) int {
	c := &m.Content
	n := int(unsafe.Sizeof(*m)) + entryBytes + len(c.Text) + len(c.HTML) + len(c.Subject) + len(m.Timeline) + len(m.To) + len(m.Address)
	if c.Template != nil || c.Interactive != nil || len(c.Values) > 0 {
		n += len(m.StoredContent())
	}
	for k, v := range m.Metadata {
		n += len(k) + len(v)
	}
	return n
}

// Remembered returns the bytes of the memory of recent messages.
func (s *Store) Remembered() int {
	s.recent.mu.Lock()
	defer s.recent.mu.Unlock()
	return s.recent.bytes
}

// Forget removes the messages of an account from the memory of recent messages, or all if accountID is empty.
func (s *Store) Forget(accountID string) {
	if !failpoint.Has(failpoint.NoEviction) {
		s.recent.forgetIf(func(e *remembered) bool { return accountID == "" || e.message.AccountID == accountID })
	}
}

// ForgetOld removes messages from the memory of recent messages that have waited for more than ten seconds. If the
// process has used nearly all of its memory limit, it removes all, and the memory remains empty until that has changed.
// Call it regularly.
func (s *Store) ForgetOld() {
	full := memoryIsFull()
	now := clock.Running()
	s.recent.mu.Lock()
	s.recent.full = full
	s.recent.mu.Unlock()
	s.recent.forgetIf(func(e *remembered) bool { return full || e.message.Status == message.Queued && now-e.at > recentTime })
}

func (r *recent) forgetIf(is func(*remembered) bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for el := r.order.Front(); el != nil; {
		next := el.Next()
		if is(el.Value.(*remembered)) { //nolint:forcetypeassert // only these are added
			r.remove(el)
		}
		el = next
	}
}

// memoryIsFull reports whether the process has used nearly all of its memory limit (GOMEMLIMIT).
func memoryIsFull() bool {
	limit := debug.SetMemoryLimit(-1) // -1 only returns it
	if limit == math.MaxInt64 {
		return false
	}
	used := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(used)
	return float64(used[0].Value.Uint64()-used[1].Value.Uint64()) > memoryPressure*float64(limit)
}

// Recent returns a message that this process has recently submitted to its only route, without its timeline and its
// content except for the name of the template, or nil. Other processes might have changed, erased, or deleted it since.
// Therefore, a decision about it is valid only after [Store.Apply] has written it, and it must not be used to decide that
// nothing has to be done. The message must not be changed.
func (s *Store) Recent(id string) *message.Message { return s.recent.get(id) }

package delivery

import (
	"sync"

	"griot/messaging/message"
)

// results lets requests wait for the first result of what they have accepted: its first attempt has ended, and it does
// not go on at once. Its zero value is ready.
type results struct{ of sync.Map } // message id -> *result

// result is the first result of a message.
type result struct {
	done    chan struct{} // closed when message is set
	once    sync.Once
	message *message.Message
}

// expect begins to wait for a message's first result. forget ends it.
func (r *results) expect(id string) *result {
	res := &result{done: make(chan struct{})}
	r.of.Store(id, res)
	return res
}

func (r *results) forget(id string) { r.of.Delete(id) }

// get returns what a message's first result is waited for with; nil when nobody in this process does.
func (r *results) get(id string) *result {
	res, ok := r.of.Load(id)
	if !ok {
		return nil
	}
	return res.(*result) //nolint:forcetypeassert // only results are stored
}

// report says how a message is, unless it goes on at once.
func (r *results) report(m *message.Message) {
	if m.Status == message.Queued && m.DueAt.IsZero() {
		return
	}
	r.end(m)
}

// end says how a message is: it is not waited for any longer.
func (r *results) end(m *message.Message) {
	if res := r.get(m.ID); res != nil {
		res.once.Do(func() {
			res.message = m
			close(res.done)
		})
	}
}

package delivery

import (
	"sync"

	"example.com/griot/messaging/message"
)

// results lets requests wait for the first result of their messages, which exists when an attempt has ended and no
// other follows immediately. The zero value is ready to use.
type results struct{ byID sync.Map } // message id -> *result

// A result is the first result of a message.
type result struct {
	done    chan struct{} // closed when message is set
	once    sync.Once
	message *message.Message
}

// expect registers a message whose first result is awaited, until forget.
func (r *results) expect(id string) *result {
	res := &result{done: make(chan struct{})}
	r.byID.Store(id, res)
	return res
}

func (r *results) forget(id string) { r.byID.Delete(id) }

// get returns the registration of a message, or nil if this process does not wait for its result.
func (r *results) get(id string) *result {
	res, ok := r.byID.Load(id)
	if !ok {
		return nil
	}
	return res.(*result) //nolint:forcetypeassert // only results are stored
}

// report sets a message's first result, unless another attempt follows immediately.
func (r *results) report(m *message.Message) {
	if m.Status == message.Queued && m.DueAt.IsZero() {
		return
	}
	r.set(m)
}

// set stores the message as the result, and ends the wait for it.
func (r *results) set(m *message.Message) {
	if res := r.get(m.ID); res != nil {
		res.once.Do(func() {
			res.message = m
			close(res.done)
		})
	}
}

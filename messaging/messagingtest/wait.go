package messagingtest

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/waittest"
	"example.com/griot/messaging/message"
)

// lookAt is the interval of checks if nothing signals a change.
const lookAt = 20 * time.Millisecond

// changes lets waiting tests check again when an engine has written something, or a gateway was called.
type changes struct {
	mu   sync.Mutex
	next chan struct{} // closed at the next change; nil: no goroutine waits
}

func (c *changes) wait() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.next == nil {
		c.next = make(chan struct{})
	}
	return c.next
}

func (c *changes) signal() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.next != nil {
		close(c.next)
		c.next = nil
	}
}

// Eventually waits until done reports true. It fails the test after [waittest.Limit], with want and the value that
// done returned instead. It checks again after each change by an engine or a gateway of the world.
func (w *World) Eventually(t testing.TB, want string, done func() (found any, ok bool)) {
	t.Helper()
	deadline := time.Now().Add(waittest.Limit)
	for {
		changed := w.changes.wait() // before the check, so that a change in between is not missed
		found, ok := done()
		if ok {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("after %v: got %v, want %s", waittest.Limit, found, want)
		}
		timer := time.NewTimer(lookAt)
		select {
		case <-changed:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// Until waits until ok accepts a message, and returns the message.
func (w *World) Until(t testing.TB, id, want string, ok func(*message.Message) bool) *message.Message {
	t.Helper()
	var m *message.Message
	w.Eventually(t, want, func() (any, bool) {
		m = w.Message(t, id)
		return string(m.Status) + " on " + string(m.Channel) + ", " + string(m.Timeline), ok(m)
	})
	return m
}

// Becomes waits until a message has a status, and returns the message.
func (w *World) Becomes(t testing.TB, id string, want message.Status) *message.Message {
	t.Helper()
	return w.Until(t, id, string(want), func(m *message.Message) bool { return m.Status == want })
}

// WaitForCalls waits until the gateway has been called n times.
func (w *World) WaitForCalls(t testing.TB, n int) {
	t.Helper()
	w.Eventually(t, fmt.Sprint(n, " calls of the gateway"), func() (any, bool) {
		calls := len(w.Gateway.Calls())
		return calls, calls >= n
	})
}

// WaitForInt waits until a query of one number returns want.
func (w *World) WaitForInt(t testing.TB, want int, query string, args ...any) {
	t.Helper()
	w.Eventually(t, fmt.Sprint(want, " by ", query), func() (any, bool) {
		n := w.Int(t, query, args...)
		return n, n == want
	})
}

// Hold makes the gateway delay all messages until release is called or the test ends. Then the gateway acknowledges them.
func (w *World) Hold(t testing.TB) (release func()) {
	t.Helper()
	held := make(chan struct{})
	release = sync.OnceFunc(func() { close(held) })
	t.Cleanup(release)
	w.Gateway.SetScript(func(context.Context, *gateway.Outbound) (gateway.Ack, error) {
		<-held
		return gateway.Ack{}, nil
	})
	return release
}

package waittest

import (
	"context"
	"testing"
	"time"
)

// Limit is the longest wait. A test that selects from several channels should use it as its last case:
// time.After(waittest.Limit).
const Limit = 60 * time.Second

const pause = 5 * time.Millisecond

// Receive returns the next value of a channel, or the zero value if the channel is closed. It fails the test if no
// value arrives.
func Receive[T any](t testing.TB, c <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(Limit):
		t.Fatalf("nothing was received within %v", Limit)
	}
	return v
}

// Until calls check every few milliseconds until it returns no error. After the limit, it fails the test
// with the last error.
func Until(t testing.TB, check func() error) {
	t.Helper()
	for deadline := time.Now().Add(Limit); ; time.Sleep(pause) {
		err := check()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("after %v: %v", Limit, err)
		}
	}
}

// Context returns a context that ends with the test, or after [Limit].
func Context(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), Limit)
	t.Cleanup(cancel)
	return ctx
}

package waittest

import (
	"context"
	"fmt"
	"sync"
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

// Eventually waits until get returns want. Use it for changes that are visible only in the database.
func Eventually[T comparable](t testing.TB, want T, get func() T) {
	t.Helper()
	Until(t, func() error {
		if got := get(); got != want {
			return fmt.Errorf("got %v, want %v", got, want)
		}
		return nil
	})
}

// Together calls fn n times concurrently, with 0 to n-1, and waits for all calls.
func Together(n int, fn func(i int)) {
	var calls sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		calls.Go(func() {
			<-start
			fn(i)
		})
	}
	close(start)
	calls.Wait()
}

// Run runs background work until the test ends or stop is called. The work must not return an error.
func Run(t testing.TB, work func(context.Context) error) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- work(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := Receive(t, done); err != nil {
			t.Errorf("got %v at the end of background work, want no error", err)
		}
	})
	t.Cleanup(stop)
	return stop
}

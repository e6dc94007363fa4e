package chantest

import (
	"testing"
	"time"
)

const timeout = 30 * time.Second

// Receive returns what comes by a channel, or the zero value when the channel is closed. It ends the test when nothing comes.
func Receive[T any](t testing.TB, c <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(timeout):
		t.Fatalf("nothing was received within %v", timeout)
	}
	return v
}

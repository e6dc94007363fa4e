package waittest_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/griot/internal/waittest"
)

// failing is a test whose end by Fatalf is recorded.
type failing struct {
	testing.TB
	text string
}

func (f *failing) Helper() {}

func (f *failing) Fatalf(format string, args ...any) {
	f.text = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// fails returns the text with which a wait fails its test, and the duration.
func fails(t *testing.T, wait func(t testing.TB)) (text string, took time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f, began, ended := &failing{TB: t}, time.Now(), make(chan struct{})
		go func() {
			defer close(ended)
			wait(f)
		}()
		<-ended
		text, took = f.text, time.Since(began)
	})
	return text, took
}

func TestReceive(t *testing.T) {
	c := make(chan int, 1)
	c <- 5
	if got := waittest.Receive(t, c); got != 5 {
		t.Errorf("got %d, want 5", got)
	}
	close(c)
	if got := waittest.Receive(t, c); got != 0 {
		t.Errorf("of a closed channel: got %d, want 0", got)
	}
	text, took := fails(t, func(t testing.TB) { waittest.Receive(t, make(chan int)) })
	if text == "" || took != waittest.Limit {
		t.Errorf("without a sender it ended with %q after %v, want a failure after %v", text, took, waittest.Limit)
	}
}

func TestUntil(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		waittest.Until(t, func() error {
			if calls++; calls < 3 {
				return errors.New("not yet")
			}
			return nil
		})
		if calls != 3 {
			t.Errorf("%d calls, want 3", calls)
		}
	})
	calls := 0
	text, took := fails(t, func(t testing.TB) {
		waittest.Until(t, func() error { calls++; return fmt.Errorf("call %d", calls) })
	})
	if !strings.HasSuffix(text, fmt.Sprintf(": call %d", calls)) || took < waittest.Limit || took > waittest.Limit+time.Second {
		t.Errorf("it ended with %q after %v, want the last of %d errors after %v", text, took, calls, waittest.Limit)
	}
}

func TestContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		ctx := waittest.Context(t)
		<-ctx.Done()
		if took := time.Since(began); took != waittest.Limit || !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			t.Errorf("it ended with %v after %v, want after %v", ctx.Err(), took, waittest.Limit)
		}
	})
}

package main

import (
	"testing"
	"testing/synctest"
	"time"

	messagingverbs "example.com/griot/messaging/verbs"
)

// An erasure that waits is polled once per second, for a limited time. Without a server, no process completes the work
// of a dead one.
func TestUntilErased_DoesNotWaitForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		began := time.Now()
		e, err := untilErased(t.Context(), time.Minute, func() (messagingverbs.PersonErasure, error) {
			calls++
			return messagingverbs.PersonErasure{AccountID: "a", ID: "e", Messages: min(int64(calls), 30)}, nil
		})
		if took := time.Since(began).Round(time.Second); err == nil || e.Done || took < time.Minute || took > 2*time.Minute || calls > 100 {
			t.Errorf("%+v, %v after %v and %d calls; want an error within two minutes, and a call a second", e, err, took, calls)
		}
		calls = 0
		e, err = untilErased(t.Context(), time.Minute, func() (messagingverbs.PersonErasure, error) {
			calls++
			return messagingverbs.PersonErasure{ID: "e", Done: calls == 3}, nil
		})
		if err != nil || !e.Done || calls != 3 {
			t.Errorf("%+v, %v after %d calls", e, err, calls)
		}
	})
}

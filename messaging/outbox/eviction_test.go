package outbox_test

import (
	"fmt"
	"math"
	"runtime/debug"
	"testing"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/message"
)

// leftInMemory returns the changes after which a message that waited in memory is still there.
func leftInMemory(t *testing.T) (left []string) {
	t.Helper()
	for _, c := range []struct {
		name   string
		change func(w *world, m *message.Message)
	}{
		{"cancel", func(w *world, m *message.Message) { w.apply(w.to(m, message.Canceled)) }},
		{"erasure", func(w *world, m *message.Message) {
			w.apply(w.to(m, message.Sent))
			if erased, err := w.store(0).Erase(w.t.Context(), w.Message(w.t, m.ID), "erased-x", func(*db.Tx) error { return nil }); err != nil || !erased {
				w.t.Fatalf("erased: %v, error %v", erased, err)
			}
		}},
		{"change of its account", func(w *world, _ *message.Message) { w.store(0).Forget(w.Account.ID) }},
		{"change of all accounts", func(w *world, _ *message.Message) { w.store(0).Forget("") }},
	} {
		w := newWorld(t, dbtest.SQLite(t))
		m := w.stored(person, "x")
		if w.store(0).Remembered() == 0 {
			t.Fatal("a waiting message is not in memory")
		}
		w.store(0).Forget("another account")
		if c.change(w, m); w.store(0).Remembered() > 0 {
			left = append(left, c.name)
		}
	}
	return left
}

func TestEviction_ChangesRemoveFromMemory(t *testing.T) {
	if left := leftInMemory(t); left != nil {
		t.Errorf("still in memory after: %v", left)
	}
}

// Near the process's memory limit, nothing is remembered. Without a limit, it is again.
func TestEviction_UnderMemoryPressure(t *testing.T) {
	w := newWorld(t, dbtest.SQLite(t))
	limit := debug.SetMemoryLimit(-1)
	defer debug.SetMemoryLimit(limit)
	for n, pressure := range []bool{false, true, false} {
		debug.SetMemoryLimit(math.MaxInt64)
		if pressure {
			debug.SetMemoryLimit(1 << 20)
		}
		w.store(0).ForgetOld()
		w.stored(fmt.Sprint(person, n), "x")
		if is := w.store(0).Remembered() > 0; is == pressure {
			t.Errorf("try %d: under pressure: %t, remembered: %t", n, pressure, is)
		}
	}
}

package outbox_test

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/waittest"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/outbox"
)

// The remembered messages are limited in bytes, and a message is forgotten after its receipt.
func TestRecent_RemembersTheLatest(t *testing.T) {
	const bound, messages, batch = 4 << 20, 6016, 64
	w := newWorld(t, dbtest.SQLite(t))
	var list []*message.Message
	for len(list) < messages {
		var items []*outbox.Acceptance
		for range batch {
			a := w.item(fmt.Sprintf("2237%07d", len(list)), "x", limited(0))
			items, list = append(items, a), append(list, a.Message)
		}
		w.accept(0, false, items...)
		waittest.Together(batch, func(i int) { w.apply(w.to(items[i].Message, message.Sent)) })
	}
	remembered := 0
	for _, m := range list {
		if w.store(0).Recent(m.ID) != nil {
			remembered++
		}
	}
	first, used := w.store(0).Recent(list[0].ID), w.store(0).Remembered()
	if first != nil || remembered < messages/3 || used > bound || used < bound/2 {
		t.Errorf("%d of %d messages are remembered with %d bytes, the first: %v; want the latest that fit into %d", remembered, len(list), used, first != nil, bound)
	}
	m := w.store(0).Recent(list[len(list)-1].ID)
	if m == nil || m.Version != 1 || m.Content.Text != "" || m.Timeline != "" {
		t.Fatalf("got %+v, want the last one at version 1, without what it says", m)
	}
	w.apply(w.to(m, message.Read))
	if w.store(0).Recent(m.ID) != nil {
		t.Error("a message that was read is still remembered")
	}
}

// Waiting messages are taken from memory once, at the version of their entry. Others are read.
func TestTake_PrefersMemory(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		kept, changed, secret := w.item(person, "kept"), w.item("22376000002", "changed"), w.item("22376000003", "secret")
		secret.Message.Sensitive, secret.Message.Sealed, secret.Message.Content = true, "sealed", message.Content{}
		w.accept(0, false, kept, changed, secret)
		entries := []outbox.Entry{outbox.EntryOf(kept.Message), outbox.EntryOf(changed.Message), outbox.EntryOf(secret.Message)}
		w.apply(w.to(w.Message(t, changed.Message.ID), message.Canceled))
		w.Write(t, func(tx *db.Tx) error { // which no reader would see in memory
			_, err := tx.Exec(`UPDATE messages SET content = '{"text":"stored"}'`)
			return err
		})
		for _, want := range []string{"kept", "stored"} {
			got, err := w.store(0).Take(t.Context(), entries)
			if err != nil {
				t.Fatal(err)
			}
			texts := [3]string{}
			for i, e := range entries {
				if m := got[e.ID]; m != nil {
					texts[i] = m.Content.Text
				}
			}
			w.wants("texts", texts, [3]string{want, "", "stored"})
		}
	})
}

// A message in memory is the same as its row, in everything that a gateway or a decision uses.
func TestTake_MemoryIsTheRow(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		a := w.item(person, "x", func(a *outbox.Acceptance) {
			m := a.Message
			m.Content = message.Content{Text: "x", Subject: "s", Preset: "order_shipped", Values: map[string]string{"order": "7"}, Template: &gateway.Template{Name: "n", Language: "fr", Body: []string{"1"}}}
			m.Options.Retry, m.Options.FallbackMs, m.Metadata = message.Retry{Max: 2, Delay: 100}, 5000, message.Metadata{"batch": "b"}
			m.RequestedChannel = message.Auto
		})
		w.accept(0, false, a)
		entries := []outbox.Entry{outbox.EntryOf(a.Message)}
		remembered, err := w.store(0).Take(t.Context(), entries)
		if err != nil {
			t.Fatal(err)
		}
		read, err := w.store(0).Take(t.Context(), entries)
		if err != nil {
			t.Fatal(err)
		}
		got, want := *remembered[entries[0].ID], *read[entries[0].ID]
		got.CreatedAt, got.ExpiresAt = got.CreatedAt.Truncate(time.Millisecond).UTC(), got.ExpiresAt.Truncate(time.Millisecond).UTC()
		want.CreatedAt, want.ExpiresAt = want.CreatedAt.UTC(), want.ExpiresAt.UTC()
		if !reflect.DeepEqual(got, want) {
			t.Errorf("in memory: %+v\nread: %+v", got, want)
		}
	})
}

package outbox_test

import (
	"fmt"
	"testing"

	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/messaging/outbox"
)

// The number of remembered messages is limited, and a message is forgotten after its receipt.
func TestRecent_RemembersTheLatest(t *testing.T) {
	const bound, batch = 4096, 64
	w := newWorld(t, dbtest.SQLite(t))
	var list []*message.Message
	for len(list) < bound+batch {
		var items []*outbox.Acceptance
		for range batch {
			a := w.item(fmt.Sprintf("2237%07d", len(list)), "x", limited(0))
			items, list = append(items, a), append(list, a.Message)
		}
		w.accept(0, false, items...)
		messagingtest.Together(batch, func(i int) { w.apply(w.to(items[i].Message, message.Sent)) })
	}
	remembered := 0
	for _, m := range list {
		if w.store(0).Recent(m.ID) != nil {
			remembered++
		}
	}
	if first := w.store(0).Recent(list[0].ID); remembered != bound || first != nil {
		t.Errorf("%d messages are remembered, the first: %v; want the latest %d", remembered, first != nil, bound)
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

package gateway_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"example.com/griot/griot-whatsapp/phonetest"
	"example.com/griot/griot-whatsapp/protocol"
	"example.com/griot/griot-whatsapp/store"
	"example.com/griot/griot-whatsapp/storetest"
)

// The messages of a person arrive in the order in which they were written, and those of two people at the same time, also if
// Griot is slow, refuses some for now, and the gateway starts again.
func TestGateway_KeepsTheOrderOfAConversation(t *testing.T) {
	w := newWorld(t, nil, storetest.Limits)
	w.whatsApp.AddUser(moussa, "100002")
	var mu sync.Mutex
	refused, underWay, both := map[string]bool{}, map[string]bool{}, false
	w.respond(func(e protocol.Event) int {
		if e.Inbound == nil {
			return http.StatusOK
		}
		mu.Lock()
		from, first := e.Inbound.From, !refused[e.Inbound.ID]
		refused[e.Inbound.ID] = true
		if underWay[from] {
			t.Errorf("two messages of %s are on their way", from)
		}
		underWay[from] = true
		both = both || len(underWay) == 2
		mu.Unlock()
		time.Sleep(rand.N(20 * time.Millisecond)) // a slow Griot
		mu.Lock()
		delete(underWay, from)
		mu.Unlock()
		if first && rand.N(8) == 0 {
			return http.StatusServiceUnavailable
		}
		return http.StatusOK
	})
	const texts = 40
	writers := map[string]*phonetest.Phone{awa: phonetest.New(t, w.whatsApp, awa), moussa: phonetest.New(t, w.whatsApp, moussa)}
	got, last := map[string][]string{}, map[string]int64{}
	for half := range 2 {
		var group sync.WaitGroup
		for _, phone := range writers {
			group.Go(func() {
				for i := range texts / 2 {
					phone.Send(t, shop, fmt.Sprintf("%02d", half*texts/2+i))
				}
			})
		}
		group.Wait()
		if half == 0 {
			w.stop()
			phonetest.Until(t, "the end of the aborted requests", func() bool {
				mu.Lock()
				defer mu.Unlock()
				return len(underWay) == 0
			})
			w.gateway, w.stop = w.run()
		}
	}
	for len(got[awa])+len(got[moussa]) < 2*texts {
		e := w.next("message", func(e protocol.Event) bool { return e.Inbound != nil })
		from := e.Inbound.From
		if slices.Contains(got[from], e.Inbound.Text) { // repeated after the restart
			continue
		}
		if e.Order <= last[from] {
			t.Errorf("the order %d of %q is not greater than %d", e.Order, e.Inbound.Text, last[from])
		}
		last[from] = e.Order
		got[from] = append(got[from], e.Inbound.Text)
	}
	for from, texts := range got {
		if !slices.IsSorted(texts) {
			t.Errorf("the messages of %s came in the order %v", from, texts)
		}
	}
	if mu.Lock(); !both {
		t.Error("the conversations have waited for each other")
	}
	mu.Unlock()
}

// A message that Griot refuses for good delays no other one, and it is kept.
func TestGateway_ParksWhatGriotRefuses(t *testing.T) {
	w := newWorld(t, nil, storetest.Limits)
	phone := phonetest.New(t, w.whatsApp, awa)
	w.respond(func(e protocol.Event) int {
		if e.Inbound != nil && e.Inbound.Text == "un" {
			return http.StatusBadRequest
		}
		return http.StatusOK
	})
	phone.Send(t, shop, "un")
	phone.Send(t, shop, "deux")
	if m := w.inbound(); m.Text != "deux" {
		t.Errorf("the first message is %q, want the one that is not refused", m.Text)
	}
	phonetest.Until(t, "the refused message is alone in the spool", func() bool {
		spool, err := w.store.Spool(t.Context())
		return err == nil && spool.Parked == 1 && spool.Events == 1
	})
}

// If there is no space for a message, the later ones of its conversation wait for it, too.
func TestGateway_KeepsTheOrderOfMissedMessages(t *testing.T) {
	w := newWorld(t, nil, store.Limits{Events: 2, Bytes: 1 << 20})
	phone := phonetest.New(t, w.whatsApp, awa)
	w.away.Store(true)
	var want []string
	for i := range 8 {
		want = append(want, fmt.Sprint(i))
		phone.Send(t, shop, want[i])
	}
	phonetest.Until(t, "the spool is full", func() bool {
		n, err := w.store.Waiting(t.Context())
		return err == nil && n == 2
	})
	w.away.Store(false)
	var got []string
	for len(got) < len(want) {
		if m := w.inbound(); !slices.Contains(got, m.Text) {
			got = append(got, m.Text)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("Griot got %v, want %v", got, want)
	}
}

package delivery_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/messagingtest"
)

// twoNodes runs two processes on one database, if it supports several. An SQLite file supports only one.
func twoNodes(t *testing.T, w *messagingtest.World) [2]*delivery.Service {
	t.Helper()
	w.Run(t, w.Delivery)
	other := w.Delivery
	if w.DB.Engine() == db.Postgres {
		other = w.NewDelivery()
		w.Run(t, other)
	}
	return [2]*delivery.Service{w.Delivery, other}
}

// Two processes share a database and know nothing of each other.
// Rules: M78.
func TestAlone_TwoNodesTakeExactlyTheQuotaAndSendAKeyOnce(t *testing.T) {
	d := dbtest.Postgres(t)
	w := messagingtest.New(t, d, "free")
	nodes := twoNodes(t, w)
	var sent, refused, fresh atomic.Int64
	var ids sync.Map
	var wg sync.WaitGroup
	for i := range 120 {
		wg.Go(func() {
			r := text(fmt.Sprintf("223760%05d", i))
			shared := i%3 == 0
			if shared {
				r = keyed("shared")
			}
			res, err := nodes[i%2].Submit(context.Background(), w.LiveCaller, r)
			switch {
			case errors.Is(err, apierror.QuotaExceeded.Err()):
				refused.Add(1)
			case err != nil:
				t.Errorf("got %v, want no error or %v", err, apierror.QuotaExceeded.Err())
			case shared:
				ids.Store(res.Message.ID, true)
				if !res.Deduplicated {
					fresh.Add(1)
				}
			default:
				sent.Add(1)
			}
		})
	}
	wg.Wait()
	n := int64(0)
	ids.Range(func(any, any) bool { n++; return true })
	if fresh.Load() != n || n > 1 || sent.Load()+n != 10 || usedQuota(t, w) != 10 || len(w.Gateway.Calls()) != 10 {
		t.Errorf("fresh %d, ids %d, sent %d, used %d, delivered %d; want 10 of the quota, and one of each key", fresh.Load(), n, sent.Load(), usedQuota(t, w), len(w.Gateway.Calls()))
	}
	if rows, keys := w.Int(t, `SELECT count(*) FROM messages`), w.Int(t, `SELECT count(*) FROM idempotency_keys`); rows != 10 || int64(keys) != n {
		t.Errorf("%d messages, %d keys", rows, keys)
	}
}

// A message is added to its conversation, which takes more than one statement.
func TestAlone_AMessageStillJoinsItsConversation(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		w.Receive(t, "22376000001", "in-1", "Bonjour")
		for _, to := range []string{"22376000001", "22376000002"} {
			r := text(to)
			r.Channel = gateway.WhatsApp
			if res := w.Submit(t, r); (res.Message.ConversationID != "") != (to == "22376000001") {
				t.Errorf("%s: conversation %q", to, res.Message.ConversationID)
			}
		}
		if n := w.Int(t, `SELECT count(*) FROM inbox_messages WHERE direction = 'out'`); n != 1 {
			t.Errorf("%d messages of ours in the inbox", n)
		}
	})
}

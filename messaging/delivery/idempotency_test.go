package delivery_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
)

// Concurrent callers with the same keys on two nodes: each key is one message, and only its own callers get it.
// Rules: M72.
func TestKeys_ConcurrentCallersGetOneMessageEach(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		nodes := twoNodes(t, w)
		type caller struct {
			c       *account.Caller
			sandbox bool
		}
		callers := []caller{{w.LiveCaller, false}, {w.LiveCaller, true}}
		for _, name := range []string{"one", "two"} {
			p, err := w.Directory.CreateProject(t.Context(), w.Account.ID, name)
			if err != nil {
				t.Fatal(err)
			}
			c, err := w.Directory.Authenticate(t.Context(), w.Key(t, w.Account.ID, p.ID, account.ProjectKey))
			if err != nil {
				t.Fatal(err)
			}
			callers = append(callers, caller{c, false}, caller{c, true})
		}
		const keys = 30
		results := make([][]*delivery.Result, keys)
		var wg sync.WaitGroup
		for k := range keys {
			results[k] = make([]*delivery.Result, 2*len(callers))
			for i := range results[k] {
				wg.Go(func() {
					r := keyed(fmt.Sprint("key ", k))
					r.Sandbox = callers[i/2].sandbox
					res, err := nodes[i%2].Submit(context.Background(), callers[i/2].c, r)
					if err != nil && !errors.Is(err, apierror.IdempotencyKeyUsed.Err()) {
						t.Errorf("got %v, want no error or %v", err, apierror.IdempotencyKeyUsed.Err())
					}
					results[k][i] = res
				})
			}
		}
		wg.Wait()
		for k := range keys {
			var first *message.Message
			for _, res := range results[k] {
				if res != nil && !res.Deduplicated {
					if first != nil {
						t.Errorf("key %d: two messages", k)
					}
					first = res.Message
				}
			}
			if first == nil {
				t.Fatalf("key %d: nobody sent", k)
			}
			for i, res := range results[k] {
				of := callers[i/2]
				may := of.sandbox == (first.Status == message.Sandbox) && (of.c.ProjectID == "" || of.c.ProjectID == first.ProjectID)
				if may != (res != nil) || res != nil && res.Message.ID != first.ID {
					t.Errorf("key %d of %q, simulated %v: caller %d (%q, simulated %v) got %+v", k, first.ProjectID, first.Status == message.Sandbox, i, of.c.ProjectID, of.sandbox, res)
				}
			}
		}
		if n := w.Int(t, `SELECT count(*) FROM messages`); n != keys {
			t.Errorf("%d messages, want %d", n, keys)
		}
	})
}

package inbox_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/waittest"
	"example.com/griot/messaging/inbox"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
)

// view returns everything that an inbox shows, with the revisions before and after the read.
func view(ctx context.Context, w *messagingtest.World) (shown, before, after string, err error) {
	first, err := w.Inbox.State(ctx, w.LiveCaller)
	if err != nil {
		return "", "", "", err
	}
	var b strings.Builder
	fmt.Fprintln(&b, first.Unread, first.Capped)
	p, err := w.Inbox.Conversations(ctx, w.LiveCaller, &inbox.Query{Limit: inbox.MaxLimit})
	if err != nil {
		return "", "", "", err
	}
	for _, c := range p.List {
		fmt.Fprintln(&b, c)
		m, err := w.Inbox.Messages(ctx, w.LiveCaller, c.ID, &inbox.Query{Limit: inbox.MaxLimit})
		if err != nil {
			return "", "", "", nil //nolint:nilerr // it was deleted in the meantime, so the result has no single revision
		}
		for _, one := range m.List {
			if one.Status == message.Queued || one.Status == message.Sending {
				one.Status = "on its way" // the interface does not distinguish the two
			}
			fmt.Fprintln(&b, one)
		}
	}
	last, err := w.Inbox.State(ctx, w.LiveCaller)
	return b.String(), first.Revision, last.Revision, err
}

// A client that reads the lists only when the revision changes misses nothing: two reads at one revision are equal.
// Rules: M134.
func TestRevision_MissesNothing(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "unlimited")
		w.Gateway.Deduplicates.Store(true)
		w.Run(t, w.Delivery)
		contacts := []string{awa, moussa, "22376000003"}
		for i, c := range contacts {
			w.Receive(t, c, fmt.Sprint("first", i), "x")
		}
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		seen, looks := map[string]string{}, 0
		watched := make(chan struct{})
		look := func() {
			shown, before, after, err := view(context.WithoutCancel(ctx), w)
			if err != nil {
				t.Error(err)
			}
			if before == "" || before != after {
				return
			}
			looks++
			if known, ok := seen[before]; ok && known != shown {
				t.Errorf("at one revision the inbox shows\n%sand\n%s", known, shown)
			}
			seen[before] = shown
		}
		turns := make(chan struct{}) // after a few changes, each worker waits for a read
		go func() {
			defer close(watched)
			for ctx.Err() == nil {
				look()
				for range looks % 3 {
					select {
					case turns <- struct{}{}:
					default:
					}
				}
			}
		}()
		var sent sync.Map
		var wg sync.WaitGroup
		for worker := range 4 {
			wg.Go(func() {
				r := rand.New(rand.NewPCG(1, uint64(worker)))
				for i := range 30 {
					contact := contacts[r.IntN(len(contacts))]
					switch r.IntN(8) {
					case 7:
						if list := page(t, w, inbox.Query{Q: contact}).List; len(list) == 1 {
							_, _ = w.Inbox.MarkUnread(t.Context(), w.LiveCaller, list[0].ID)
						}
					case 0, 1:
						w.Receive(t, contact, fmt.Sprint(worker, "-", i), "Bonjour")
					case 2:
						if list := page(t, w, inbox.Query{Q: contact}).List; len(list) == 1 {
							_, _ = w.Inbox.MarkRead(t.Context(), w.LiveCaller, list[0].ID)
						}
					case 3:
						res, err := w.Delivery.Submit(t.Context(), w.LiveCaller, &message.Request{To: contact, Channel: gateway.WhatsApp, Content: message.Content{Text: "Voilà"}})
						if err != nil {
							t.Error(err)
							return
						}
						sent.Store(res.Message.ID, true)
					case 4, 5:
						sent.Range(func(id, _ any) bool {
							if _, mine := sent.LoadAndDelete(id); mine {
								if err := w.Delivery.Receipt(t.Context(), gateway.Receipt{Gateway: "fake", Ref: fmt.Sprint(id), Status: gateway.ReceiptRead, At: w.Clock.Now()}); err != nil {
									t.Error(err)
								}
							}
							return false
						})
					default:
						w.Clock.Advance(inbox.Retention / 20)
						purge(t, w)
					}
					if (i+worker)%2 == 0 {
						<-turns
					}
				}
			})
		}
		wg.Wait()
		stop()
		waittest.Receive(t, watched)
		look()
		look()
		if looks < 8 {
			t.Errorf("only %d looks were of one revision", looks)
		}
		checkCounts(t, w)
	})
}

package delivery_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
)

// Messages are accepted while the process stops. None is being submitted when the process ends.
func TestRun_EndsWhileMessagesAreAccepted(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		const callers, each = 8, 15
		w := messagingtest.New(t, d, "unlimited")
		e := w.NewDelivery(func(o *delivery.Options) { o.Wait = 20 * time.Millisecond })
		stop := w.Run(t, e)
		var mu sync.Mutex
		var ids []string
		var wg sync.WaitGroup
		some := make(chan struct{}, callers*each)
		for caller := range callers {
			wg.Go(func() {
				for n := range each {
					res, err := e.Submit(t.Context(), w.LiveCaller, numbered(fmt.Sprint(22376000000+caller), n))
					if err != nil {
						t.Errorf("submit: got %v, want no error", err)
						return
					}
					mu.Lock()
					ids = append(ids, res.Message.ID)
					mu.Unlock()
					some <- struct{}{}
				}
			})
		}
		for range callers {
			<-some
		}
		stop()
		wg.Wait()
		for _, id := range ids {
			if m := w.Message(t, id); m.Status == message.Sending {
				t.Errorf("%s is SENDING after the end, want QUEUED or SENT", id)
			}
		}
	})
}

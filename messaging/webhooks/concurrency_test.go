package webhooks_test

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/waittest"
	"example.com/griot/internal/webhook"
	"example.com/griot/messaging/webhooks"
)

// event returns an event as stored.
func (w *world) event(t testing.TB, e *webhooks.Event) *webhooks.Stored {
	t.Helper()
	s, err := w.endpoints.Event(t.Context(), e.AccountID, e.ID)
	if err != nil || s == nil {
		t.Fatalf("event %v, %v", s, err)
	}
	return s
}

// No endpoint delays another's events, whatever it does.
func TestDispatcher_NoEndpointDelaysAnother(t *testing.T) {
	hang := make(chan struct{})
	t.Cleanup(func() { close(hang) })
	block := make([]byte, 1<<20)
	bad := map[string]http.HandlerFunc{
		"hangs": func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-hang:
			case <-r.Context().Done():
			}
		},
		"drips its head": drip(hang, "HTTP/1.1 200 OK\r\nX-Drip: "),
		"drips its body": drip(hang, "HTTP/1.1 500 Oh\r\nContent-Length: 1000000\r\n\r\n"),
		"10 MB": func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Length", strconv.Itoa(10<<20))
			for range 10 {
				if _, err := rw.Write(block); err != nil {
					return
				}
			}
		},
	}
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		for _, answer := range bad {
			id := w.another(t, newEndpoint(t, w.Clock.Now, answer).url)
			w.events(t, id, 300)
		}
		w.events(t, w.another(t, "http://127.0.0.1:1"), 300)                               // nothing listens there
		run(t, w.NewDispatcher(func(o *webhook.Options) { o.Timing.Timeout = time.Hour })) // the other attempts do not end during this test
		good := newEndpoint(t, w.Clock.Now, nil)
		w.set(t, w.Account.ID, good.url)
		for range 5 {
			for _, m := range w.events(t, w.Account.ID, 50) {
				w.becomes(t, m, webhooks.Delivered)
			}
		}
		if n := len(good.got()); n != 250 {
			t.Errorf("%d deliveries", n)
		}
	})
}

// drip takes over the connection, writes a beginning, and then a byte from time to time.
func drip(end <-chan struct{}, begin string) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		c, _, err := http.NewResponseController(rw).Hijack()
		if err != nil {
			return
		}
		defer func() { _ = c.Close() }()
		if _, err = fmt.Fprint(c, begin); err != nil {
			return
		}
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-end:
				return
			case <-tick.C:
				if _, err := c.Write([]byte("x")); err != nil {
					return
				}
			}
		}
	}
}

func TestDispatcher_EightAtOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		var now, most atomic.Int64
		go_ := make(chan struct{})
		full := make(chan struct{}, 1)
		e := newEndpoint(t, w.Clock.Now, func(http.ResponseWriter, *http.Request) {
			n := now.Add(1)
			defer now.Add(-1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			if n == webhook.PerEndpoint {
				select {
				case full <- struct{}{}:
				default:
				}
			}
			<-go_
		})
		w.set(t, w.Account.ID, e.url)
		run(t, w.NewDispatcher())
		if d.Engine() == db.Postgres { // a SQLite file has one process
			run(t, w.NewDispatcher()) // of another process; the endpoint belongs to only one of them
		}
		made := w.events(t, w.Account.ID, 100)
		waittest.Receive(t, full)
		for range 50 { // a ninth would come
			w.signal.Notify()
			time.Sleep(time.Millisecond)
		}
		close(go_)
		for _, m := range made {
			w.becomes(t, m, webhooks.Delivered)
		}
		if most.Load() != webhook.PerEndpoint || len(e.got()) != 100 {
			t.Errorf("%d at once, %d deliveries", most.Load(), len(e.got()))
		}
	})
}

// Of several calls at once, exactly one creates the secret, and events are signed with it. A removal creates none.
func TestSet_AtOnceCreatesOneSecret(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		run(t, w.NewDispatcher())
		e := newEndpoint(t, w.Clock.Now, nil)
		if secret := w.set(t, w.Account.ID, ""); secret != "" {
			t.Error("a removal has created a secret")
		}
		secrets := make([]string, 8)
		var all sync.WaitGroup
		for i := range secrets {
			all.Go(func() {
				var err error
				if secrets[i], err = w.endpoints.Set(t.Context(), w.Account.ID, e.url); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		shown := slices.DeleteFunc(secrets, func(s string) bool { return s == "" })
		if len(shown) != 1 {
			t.Fatalf("%d calls returned a secret, want one", len(shown))
		}
		w.becomes(t, w.events(t, w.Account.ID, 1)[0], webhooks.Delivered)
		if got := e.wants(t, 1); !verifies(t, &got[0], shown[0]) {
			t.Error("an event is signed with another secret")
		}
	})
}

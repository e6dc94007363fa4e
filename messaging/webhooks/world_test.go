package webhooks_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/id"
	"example.com/griot/internal/waittest"
	"example.com/griot/internal/webhook"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/messaging/webhooks"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// got is a delivery as received by an endpoint.
type got struct {
	id, body string
	header   http.Header
	at       time.Time // by the world's clock
}

// endpoint is a server that receives events.
type endpoint struct {
	url string
	mu  sync.Mutex
	all []got
	new chan struct{} // signaled at each delivery
}

// newEndpoint starts a server with the handler answer; nil: it responds with 204.
func newEndpoint(t testing.TB, now func() time.Time, answer http.HandlerFunc) *endpoint {
	t.Helper()
	e := &endpoint{new: make(chan struct{}, 1)}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		e.mu.Lock()
		e.all = append(e.all, got{r.Header.Get("webhook-id"), string(body), r.Header.Clone(), now()})
		e.mu.Unlock()
		select {
		case e.new <- struct{}{}:
		default:
		}
		if answer == nil {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		answer(w, r)
	}))
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	e.url = s.URL + "/hook"
	return e
}

func (e *endpoint) got() []got {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]got(nil), e.all...)
}

// wants waits until the endpoint has received n deliveries.
func (e *endpoint) wants(t testing.TB, n int) []got {
	t.Helper()
	deadline := time.After(waittest.Limit)
	for {
		if all := e.got(); len(all) >= n {
			return all
		}
		select {
		case <-e.new:
		case <-deadline:
			t.Fatalf("%d deliveries, want %d", len(e.got()), n)
		}
	}
}

// world is a messaging world with a dispatcher.
type world struct {
	*messagingtest.World
	signal    *webhook.Signal
	endpoints *webhooks.Endpoints // the world's
}

func newWorld(t testing.TB, d *db.DB) *world {
	t.Helper()
	w := &world{World: messagingtest.New(t, d, "unlimited")}
	w.endpoints, w.signal = w.Endpoints, w.Endpoints.Signal
	return w
}

// run runs a dispatcher until the test ends or stop is called.
func run(t testing.TB, d *webhook.Dispatcher) (stop func()) {
	t.Helper()
	return waittest.Run(t, d.Run)
}

// another creates another account with an endpoint.
func (w *world) another(t testing.TB, url string) string {
	t.Helper()
	a, err := w.Directory.Create(t.Context(), &account.Spec{Name: "Other", Email: id.New(w.Clock.Now()) + "@example.com", Plan: "unlimited"})
	if err != nil {
		t.Fatal(err)
	}
	w.set(t, a.ID, url)
	return a.ID
}

func (w *world) set(t testing.TB, accountID, url string) (secret string) {
	t.Helper()
	secret, err := w.endpoints.Set(t.Context(), accountID, url)
	if err != nil {
		t.Fatal(err)
	}
	return secret
}

// events stores n events of an account.
func (w *world) events(t testing.TB, accountID string, n int) (made []*webhooks.Event) {
	t.Helper()
	for i := range n {
		made = append(made, webhooks.Received(accountID, id.Message+id.New(w.Clock.Now()), "", gateway.Inbound{
			Channel: gateway.WhatsApp, From: "22376000001", To: "22370000001", Text: fmt.Sprintf("Bonjour <%d> & é", i), At: w.Clock.Now(),
		}, w.Clock.Now()))
	}
	w.Write(t, func(tx *db.Tx) error {
		for _, e := range made {
			if err := webhooks.Insert(tx, w.signal, e); err != nil {
				return err
			}
		}
		return nil
	})
	return made
}

// becomes waits until an event has a delivery state.
func (w *world) becomes(t testing.TB, e *webhooks.Event, want webhooks.Delivery) *webhooks.Stored {
	t.Helper()
	var s *webhooks.Stored
	w.Eventually(t, string(want), func() (any, bool) {
		var err error
		if s, err = w.endpoints.Event(t.Context(), e.AccountID, e.ID); err != nil || s == nil {
			t.Fatalf("event %s: got %v, %v; want it stored", e.ID, s, err)
		}
		return s.Delivery, s.Delivery == want
	})
	return s
}

// attempts waits until an event has n attempts and returns them, latest first.
func (w *world) attempts(t testing.TB, e *webhooks.Event, n int) []*webhooks.Attempt {
	t.Helper()
	var all []*webhooks.Attempt
	w.Eventually(t, fmt.Sprint(n, " attempts"), func() (any, bool) {
		var err error
		if all, err = w.endpoints.Attempts(t.Context(), e.AccountID, e.ID); err != nil {
			t.Fatal(err)
		}
		return len(all), len(all) >= n
	})
	return all
}

// verifies checks a delivery with the library of Standard Webhooks.
func verifies(t testing.TB, g *got, secret string) bool {
	t.Helper()
	v, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	return v.VerifyIgnoringTimestamp([]byte(g.body), g.header) == nil
}

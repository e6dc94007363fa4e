package api

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"griot/internal/fault"
	"griot/internal/httpx"
	"griot/messaging/account"
	"griot/messaging/webhook"
)

// ears counts those who listen to events. Each holds a connection and asks the
// database now and then, so there is an end to them.
type ears struct {
	most, perAccount int

	mu   sync.Mutex
	all  int
	open map[string]int // by account
}

func newEars() *ears { return &ears{most: 500, perAccount: 5, open: map[string]int{}} }

func (e *ears) enter(accountID string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.all >= e.most || e.open[accountID] >= e.perAccount {
		return false
	}
	e.all++
	e.open[accountID]++
	return true
}

func (e *ears) leave(accountID string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all--
	if e.open[accountID]--; e.open[accountID] == 0 {
		delete(e.open, accountID)
	}
}

const (
	listenRetry = 2 * time.Second
	listenFull  = 10 * time.Second
	listenPoll  = 250 * time.Millisecond
	listenBeat  = 15 * time.Second
	listenGap   = 10 * time.Millisecond
)

// hello begins a stream. Its secret signs what the listener passes on.
type hello struct {
	Secret string `json:"secret"`
}

type heardEvent struct {
	EventID string `json:"eventId"`
	Type    string `json:"type"`
	Body    string `json:"body"` // as it is to be signed
}

// webhookStream: GET /api/webhooks/stream. It is beside the endpoint's deliveries
// and takes nothing from them. A test key hears of sandbox messages only.
func (a *API) webhookStream(w http.ResponseWriter, r *http.Request) error {
	if r.Method != http.MethodGet { // a HEAD would hold a stream that it can't hear
		w.Header().Set("Allow", http.MethodGet)
		return fault.MethodNotAllowed.Err()
	}
	c, err := a.caller(w, r)
	if err != nil {
		return err
	}
	if c.Kind == account.ProjectKey {
		return fault.Forbidden.Err()
	}
	if !a.ears.enter(c.Account.ID) {
		return fault.RateLimited.After(listenFull)
	}
	defer a.ears.leave(c.Account.ID)
	feed, err := a.o.Endpoints.Feed(r.Context(), c.Account.ID, r.Header.Get("Last-Event-ID"), c.Kind == account.Test)
	if err == nil {
		err = a.o.Endpoints.Listen(r.Context(), c.Account.ID)
	}
	if err != nil {
		return err
	}
	stream, err := httpx.NewStream(w, listenRetry)
	if err != nil {
		return err
	}
	// The answer has begun: what goes wrong now only ends it, and the listener comes again.
	err = stream.Event("hello", hello{a.o.Endpoints.ListenSecret(c.Account.ID)})
	if err == nil {
		err = a.tell(r, stream, c.Account, feed)
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		a.http.Log.Debug("stream ended", "requestId", httpx.RequestID(w), "err", err)
	}
	return nil
}

// tell passes on a feed until the listener goes away or the server is told to stop.
func (a *API) tell(r *http.Request, stream *httpx.Stream, of *account.Account, feed *webhook.Feed) error {
	poll, beat, renew := time.NewTicker(listenPoll), time.NewTicker(listenBeat), time.NewTicker(webhook.ListenRenew)
	defer poll.Stop()
	defer beat.Stop()
	defer renew.Stop()
	for {
		rung := a.o.Endpoints.Bell.Wait()
		events, err := feed.Next(r.Context())
		if err != nil {
			return err
		}
		for _, e := range events {
			if err := stream.Event("event", heardEvent{e.ID, e.Type, e.Body}); err != nil {
				return err
			}
		}
		select {
		case <-rung:
			time.Sleep(listenGap) // several may come together
		case <-poll.C:
		case <-beat.C:
			err = stream.Beat()
		case <-renew.C:
			err = a.o.Endpoints.Listen(r.Context(), of.ID)
		case <-httpx.Draining(r):
			return nil
		case <-r.Context().Done():
			return r.Context().Err()
		}
		if err != nil {
			return err
		}
	}
}

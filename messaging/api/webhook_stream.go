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
	"griot/messaging/events"
)

// listenerCounts counts those who listen to events. Each holds a connection and asks the
// database now and then, so there is an end to them.
type listenerCounts struct {
	max, perAccount int

	mu   sync.Mutex
	all  int
	open map[string]int // by account
}

func newListenerCounts() *listenerCounts {
	return &listenerCounts{max: 500, perAccount: 5, open: map[string]int{}}
}

func (e *listenerCounts) enter(accountID string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.all >= e.max || e.open[accountID] >= e.perAccount {
		return false
	}
	e.all++
	e.open[accountID]++
	return true
}

func (e *listenerCounts) leave(accountID string) {
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
	listenCheck = time.Second // whether the key still works
	listenGap   = 10 * time.Millisecond
)

// hello begins a stream, and comes again when the secret has changed, which signs what the listener passes on.
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
	works, turn, err := a.o.Directory.StreamState(r.Context(), c.KeyID)
	if err == nil && !works { // it was revoked just now, elsewhere
		err = unauthorized(w)
	}
	if err != nil {
		return err
	}
	if !a.ears.enter(c.Account.ID) {
		return fault.RateLimited.After(listenFull)
	}
	defer a.ears.leave(c.Account.ID)
	feed, err := a.o.Endpoints.Feed(r.Context(), c.Account.ID, r.Header.Get("Last-Event-ID"), c.SandboxOnly())
	if err == nil {
		err = a.o.Endpoints.Listen(r.Context(), c.Account.ID)
	}
	if err != nil {
		return err
	}
	stream, err := httpx.NewStream(w, r, listenRetry)
	if err != nil {
		return err
	}
	defer stream.Close()
	// The answer has begun: what goes wrong now only ends it, and the listener comes again.
	l := &listener{a: a, c: c, stream: stream, feed: feed, turn: turn}
	if err = l.sendHello(); err == nil {
		err = l.serve(r)
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		a.http.Log.Debug("stream ended", "requestId", httpx.RequestID(w), "err", err)
	}
	return nil
}

// listener is somebody who listens.
type listener struct {
	a      *API
	c      *account.Caller
	stream *httpx.Stream
	feed   *events.Feed
	turn   int64 // of the secret that they know
}

// sendHello tells the secret.
func (l *listener) sendHello() error {
	return l.stream.Event("hello", hello{l.a.o.Endpoints.ListenSecret(l.c.Account.ID, l.turn, l.c.SandboxOnly())})
}

// check asks whether the key still works, and tells a secret that is new.
func (l *listener) check(ctx context.Context) (works bool, err error) {
	works, turn, err := l.a.o.Directory.StreamState(ctx, l.c.KeyID)
	if err != nil || !works || turn == l.turn {
		return works, err
	}
	l.turn = turn
	return true, l.sendHello()
}

// serve passes on a feed until the listener goes away, its key is revoked, or the server is told to stop.
func (l *listener) serve(r *http.Request) error {
	poll, beat, renew, check := time.NewTicker(listenPoll), time.NewTicker(listenBeat), time.NewTicker(events.ListenRenew), time.NewTicker(listenCheck)
	defer poll.Stop()
	defer beat.Stop()
	defer renew.Stop()
	defer check.Stop()
	for {
		stored := l.a.o.Endpoints.Signal.Wait()
		events, err := l.feed.Next(r.Context())
		if err != nil {
			return err
		}
		for _, e := range events {
			if err := l.stream.Event("event", heardEvent{e.ID, e.Type, e.Body}); err != nil {
				return err
			}
		}
		select {
		case <-stored:
			time.Sleep(listenGap) // several may come together
		case <-poll.C:
		case <-beat.C:
			err = l.stream.KeepAlive()
		case <-renew.C:
			err = l.a.o.Endpoints.Listen(r.Context(), l.c.Account.ID)
		case <-check.C:
			if works, failed := l.check(r.Context()); failed != nil || !works {
				return failed
			}
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

type streamSecretAnswer struct {
	Success bool   `json:"success"`
	Secret  string `json:"secret"`
}

// webhookStreamSecret: POST /api/webhooks/stream/rotate-secret.
func (a *API) webhookStreamSecret(w http.ResponseWriter, r *http.Request) error {
	owner, err := a.webhookOwner(w, r)
	if err != nil {
		return err
	}
	secret, err := a.o.Endpoints.RotateListenSecret(r.Context(), owner.ID)
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	return httpx.WriteJSON(w, http.StatusOK, streamSecretAnswer{true, secret})
}

package api

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"example.com/griot/auth/login"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
)

// streams limits the open responses of /authorize/events. Each holds a connection and
// periodically reads the database. A page that gets no stream polls.
type streams struct {
	pollEvery, heartbeat time.Duration // time between two reads of the database, and between two heartbeats
	max, perSession      int
	perClient            int

	mu        sync.Mutex
	total     int
	bySession map[string]int // by session
	byClient  map[string]int // by client
}

func newStreams() *streams {
	return &streams{pollEvery: 5 * time.Second, heartbeat: 15 * time.Second, max: 2000, perSession: 2, perClient: 1000, bySession: map[string]int{}, byClient: map[string]int{}}
}

const (
	streamRetry = 2 * time.Second // as often as pages poll
	retryFull   = 10 * time.Second
)

func (s *streams) acquire(sessionID, clientID string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.total >= s.max || s.bySession[sessionID] >= s.perSession || s.byClient[clientID] >= s.perClient {
		return false
	}
	s.total++
	s.bySession[sessionID]++
	s.byClient[clientID]++
	return true
}

func (s *streams) release(sessionID, clientID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.total--
	if s.bySession[sessionID]--; s.bySession[sessionID] == 0 {
		delete(s.bySession, sessionID)
	}
	if s.byClient[clientID]--; s.byClient[clientID] == 0 {
		delete(s.byClient, clientID)
	}
}

// events sends a login's Status when it changes, so that a page doesn't need to wait for its next poll.
func (a *API) events(w http.ResponseWriter, r *http.Request, tokens []string) error {
	if err := getOnly(w, r); err != nil { // a HEAD would hold a stream without a body
		return err
	}
	session, _, err := a.polledSession(r, tokens)
	if err != nil {
		return err
	}
	if !a.streams.acquire(session.ID, session.ClientID) {
		return apierror.AuthRateLimited.After(retryFull)
	}
	defer a.streams.release(session.ID, session.ClientID)
	changed, stop := a.logins.Subscribe(session.ID)
	defer stop()
	stream, err := httpx.NewStream(w, r, streamRetry)
	if err != nil {
		return err
	}
	defer stream.Close()
	// The response has started, so an error only ends it, and the browser reconnects.
	if err := a.sendStatuses(r, tokens, stream, changed, session.ID); err != nil && !errors.Is(err, context.Canceled) {
		a.http.Log.Debug("stream ended", "requestId", httpx.RequestID(w), "err", err)
	}
	return nil
}

// getOnly refuses a HEAD, which the router routes like a GET.
func getOnly(w http.ResponseWriter, r *http.Request) error {
	if r.Method == http.MethodGet {
		return nil
	}
	w.Header().Set("Allow", http.MethodGet)
	return apierror.AuthMethod.Err()
}

// sendStatuses sends the login's status whenever it changes, until it is final, the
// browser disconnects, or the server stops.
func (a *API) sendStatuses(r *http.Request, tokens []string, stream *httpx.Stream, changed <-chan struct{}, sessionID string) error {
	look, heartbeat := time.NewTicker(a.streams.pollEvery), time.NewTicker(a.streams.heartbeat)
	defer look.Stop()
	defer heartbeat.Stop()
	var sent login.Status
	var held login.Held
	for {
		session, err := a.logins.Owned(r.Context(), sessionID, tokens)
		if err != nil {
			return err
		}
		v, err := a.logins.HandBack(r.Context(), session)
		if err != nil {
			return err
		}
		if v.Status != sent || v.Held != held {
			if err := stream.Event("status", newStatus(&v)); err != nil {
				return err
			}
			sent, held = v.Status, v.Held
		}
		if sent == login.Consumed || sent == login.Expired {
			return nil
		}
		for waiting := true; waiting; {
			select {
			case <-changed:
				waiting = false
			case <-look.C:
				waiting = false
			case <-heartbeat.C:
				if err := stream.KeepAlive(); err != nil {
					return err
				}
			case <-httpx.Draining(r):
				return nil
			case <-r.Context().Done():
				return r.Context().Err()
			}
		}
	}
}

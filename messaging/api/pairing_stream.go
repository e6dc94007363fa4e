package api

import (
	"context"
	"errors"
	"net/http"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/messaging/account"
)

const (
	pairingPoll   = time.Second      // interval of requests to the gateway
	pairingSilent = 30 * time.Second // maximum time without a response from the gateway
)

// pairingStream handles GET /api/senders/:id/pair/events. The gateway has the state, so any node can serve the stream.
func (a *API) pairingStream(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	from, err := c.Account.OwnSender(r.PathValue("id"))
	if err != nil {
		return err
	}
	place := a.pairingStreams.enter(c.Email)
	if place == nil {
		return apierror.RateLimited.After(listenFull)
	}
	defer place.leave()
	now, err := a.o.Pairing.Progress(r.Context(), from)
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	stream, err := httpx.NewStream(w, r, listenRetry)
	if err != nil {
		return err
	}
	defer stream.Close()
	s := &pairingListener{a: a, c: c, stream: stream, place: place, from: from, now: now}
	if err := s.serve(r); err != nil && !errors.Is(err, context.Canceled) { // the response has started, so an error can only end it
		a.http.Log.Debug("stream ended", "requestId", httpx.RequestID(w), "err", err)
	}
	return nil
}

// A pairingListener is an open stream of a pairing.
type pairingListener struct {
	a      *API
	c      *account.Caller
	stream *httpx.Stream
	place  *openStream
	from   account.Sender
	now    gateway.PairingProgress // the last progress that was sent
}

// serve sends each change until the pairing ends, the session ends or its code is too old, or the server stops.
func (s *pairingListener) serve(r *http.Request) error {
	poll, keepAlive := time.NewTicker(pairingPoll), time.NewTicker(listenKeepAlive)
	defer poll.Stop()
	defer keepAlive.Stop()
	if err := s.send(); err != nil {
		return err
	}
	answered := s.a.o.Now()
	for s.now.State.UnderWay() {
		select {
		case <-poll.C:
		case <-keepAlive.C:
			if err := s.stream.KeepAlive(); err != nil {
				return err
			}
			continue
		case <-s.place.ended:
			return s.stream.Event(streamReplaced, struct{}{})
		case <-httpx.Draining(r):
			return nil
		case <-r.Context().Done():
			return r.Context().Err()
		}
		if mine, err := s.a.stillPermitted(r, s.c, account.MayPairSenders); err != nil || !mine {
			return err
		}
		switch now, err := s.a.o.Pairing.Progress(r.Context(), s.from); {
		case err == nil && now != s.now:
			s.now, answered = now, s.a.o.Now()
			if err := s.send(); err != nil {
				return err
			}
		case err == nil:
			answered = s.a.o.Now()
		case s.a.o.Now().Sub(answered) > pairingSilent:
			return err
		}
	}
	return nil
}

func (s *pairingListener) send() error { return s.stream.Event("pairing", pairingOf(s.now)) }

// stillPermitted reports whether the session of a long-running request still has the permit in the same account.
func (a *API) stillPermitted(r *http.Request, since *account.Caller, p account.Permit) (bool, error) {
	of, err := a.sessions.Current(r)
	if err != nil || of == nil {
		return false, err
	}
	c, err := a.sessions.Permitted(of, p)
	return err == nil && c.Account.ID == since.Account.ID, nil
}

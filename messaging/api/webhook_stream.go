package api

import (
	"context"
	"errors"
	"net/http"
	"time"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/messaging/access"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/webhooks"
)

const (
	listenRetry     = 2 * time.Second
	listenFull      = 10 * time.Second // Retry-After if there are too many streams
	listenPoll      = 250 * time.Millisecond
	listenKeepAlive = 15 * time.Second
	listenCheck     = time.Second // interval of checks whether the key is still valid
	listenGap       = 10 * time.Millisecond
)

// streamReplaced is the last event of a stream whose place another stream got. A page then polls instead of opening
// the stream again.
const streamReplaced = "replaced"

// A hello is the first event of a stream. It is sent again when the secret changes with which the listener signs the
// events that it forwards.
type hello struct {
	Secret string `json:"secret"`
}

type streamEvent struct {
	EventID string `json:"eventId"`
	Type    string `json:"type"`
	Body    string `json:"body"` // the signed text
}

// WebhookStream serves GET /api/webhooks/stream. It does not affect deliveries to the endpoint. A test key gets only
// the events of sandbox messages. A session, which only a page of this service uses, gets no events or secrets, but a
// "change" after each change of a message's status.
func (a *API) WebhookStream(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	works, rotation, err := a.streamState(r, c)
	if err == nil && !works { // another node has revoked it just now
		err = access.Unauthorized(w)
	}
	if err != nil {
		return err
	}
	kind, holder := a.programStreams, c.Account.ID
	if c.Kind == account.Dashboard {
		kind, holder = a.pageStreams, c.Email
	}
	place := kind.enter(holder)
	if place == nil {
		return apierror.RateLimited.After(listenFull)
	}
	defer place.leave()
	source, err := a.o.Endpoints.Stream(r.Context(), c.Account.ID, r.Header.Get("Last-Event-ID"), c.SandboxOnly())
	if err == nil {
		err = a.o.Endpoints.Listen(r.Context(), c.Account.ID, c.Kind != account.Dashboard)
	}
	if err != nil {
		return err
	}
	stream, err := httpx.NewStream(w, r, listenRetry)
	if err != nil {
		return err
	}
	defer stream.Close()
	// The response has started, so an error can only end it, and the client reconnects.
	l := &listener{a: a, c: c, stream: stream, place: place, source: source, rotation: rotation}
	if err = l.sendHello(); err == nil {
		err = l.serve(r)
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		a.http.Log.Debug("stream ended", "requestId", httpx.RequestID(w), "err", err)
	}
	return nil
}

// streamState reports whether a caller can still listen, and returns the number of the secret.
func (a *API) streamState(r *http.Request, c *account.Caller) (works bool, rotation int64, err error) {
	if c.Kind != account.Dashboard {
		return a.o.Directory.StreamState(r.Context(), c.KeyID)
	}
	works, err = a.stillPermitted(r, c, account.MayFollowMessages)
	return works, 0, err
}

// A listener is an open stream of events.
type listener struct {
	a        *API
	c        *account.Caller
	stream   *httpx.Stream
	place    *openStream
	source   *webhooks.Stream
	rotation int64 // of the secret that was sent last
}

// sendHello sends the secret to a program.
func (l *listener) sendHello() error {
	if l.c.Kind == account.Dashboard {
		return nil
	}
	return l.stream.Event("hello", hello{l.a.o.Endpoints.ListenSecret(l.c.Account.ID, l.rotation, l.c.SandboxOnly())})
}

// sendEvent sends an event to a program, or tells a page to read its messages again.
func (l *listener) sendEvent(e *webhooks.Event) error {
	switch {
	case l.c.Kind != account.Dashboard:
		return l.stream.Event("event", streamEvent{e.ID, e.Type, e.Body})
	case e.Type == webhooks.MessageStatus:
		return l.stream.Event("change", struct{}{})
	}
	return nil
}

// check reports whether the caller can still listen, and sends the secret if it is new.
func (l *listener) check(r *http.Request) (works bool, err error) {
	works, rotation, err := l.a.streamState(r, l.c)
	if err != nil || !works || rotation == l.rotation {
		return works, err
	}
	l.rotation = rotation
	return true, l.sendHello()
}

// serve sends events until the listener disconnects, can no longer listen, or the server stops.
func (l *listener) serve(r *http.Request) error {
	poll, keepAlive, renew, check := time.NewTicker(listenPoll), time.NewTicker(listenKeepAlive), time.NewTicker(webhooks.ListenRenew), time.NewTicker(listenCheck)
	defer poll.Stop()
	defer keepAlive.Stop()
	defer renew.Stop()
	defer check.Stop()
	for {
		stored := l.a.o.Endpoints.Signal.Wait()
		events, err := l.source.Next(r.Context())
		if err != nil {
			return err
		}
		for _, e := range events {
			if err := l.sendEvent(e); err != nil {
				return err
			}
		}
		if l.c.Kind != account.Dashboard {
			if err := l.source.Sent(r.Context(), events); err != nil {
				return err
			}
		}
		select {
		case <-stored:
			time.Sleep(listenGap) // several events might arrive together
		case <-poll.C:
		case <-keepAlive.C:
			err = l.stream.KeepAlive()
		case <-renew.C:
			err = l.a.o.Endpoints.Listen(r.Context(), l.c.Account.ID, l.c.Kind != account.Dashboard)
		case <-check.C:
			if works, failed := l.check(r); failed != nil || !works {
				return failed
			}
		case <-l.place.ended:
			return l.stream.Event(streamReplaced, struct{}{})
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

// webhookStreamSecret handles POST /api/webhooks/stream/rotate-secret.
func (a *API) webhookStreamSecret(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	secret, err := a.o.Endpoints.RotateListenSecretFor(r.Context(), c)
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	return httpx.WriteJSON(w, http.StatusOK, streamSecretAnswer{true, secret})
}

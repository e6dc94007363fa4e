package httpgate

import (
	"errors"
	"io"
	"net/http"

	"example.com/griot/gateway"
)

// WebhookHandler implements [gateway.WebhookReceiver]. It serves /receipts, the kind's other webhooks, and /events
// for gateways that can call only one URL.
func (g *Gateway) WebhookHandler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		webhooks := g.webhooksAt(r.URL.Path)
		if len(webhooks) == 0 {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		admitted := false
		for _, webhook := range webhooks { // before the body is read
			admitted = admitted || webhook.Settings.Auth.checkHeaders(r)
		}
		if !admitted {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		answer := &answerWriter{ResponseWriter: w, again: webhooks[0].Settings.Again}
		if r.Method == http.MethodGet {
			answer.WriteHeader(g.handle(r, nil))
		} else {
			g.handler.ServeHTTP(answer, r)
		}
		if answer.status == http.StatusOK {
			_, _ = io.WriteString(w, webhooks[0].Settings.Answer)
		}
	})
}

// answerWriter records the status, and replaces 503 with the status after which the gateway repeats the request.
type answerWriter struct {
	http.ResponseWriter
	again  int
	status int
}

// WriteHeader implements [http.ResponseWriter].
func (w *answerWriter) WriteHeader(status int) {
	if status == http.StatusServiceUnavailable && w.again != 0 {
		status = w.again
	}
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap is used by [http.ResponseController].
func (w *answerWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// webhooksAt returns the webhooks at a path. Those at /events are the ones whose events can be distinguished.
func (g *Gateway) webhooksAt(path string) []Webhook {
	var found []Webhook
	for _, w := range g.webhooks {
		if w.Settings.Enabled() && (path == w.Path || path == "/events" && len(w.Settings.When) > 0) {
			found = append(found, w)
		}
	}
	return found
}

// Errors of a webhook's Store for events that cannot be stored. If the request was readable, the response is the same
// as for stored events. Otherwise, the gateway would repeat them endlessly.
var (
	ErrInvalidEvent = errors.New("the event lacks a needed field")
	ErrNoSender     = errors.New("the event names no sender")
	ErrBinary       = errors.New("the message is binary data")
	// ErrIncomplete reports that the other parts of the message have not arrived. The gateway must send the event again.
	ErrIncomplete = errors.New("other parts have not come")
)

// handle checks a request's signature and stores its events. It returns the status of the response.
func (g *Gateway) handle(r *http.Request, body []byte) int {
	genuine := false
	for _, webhook := range g.webhooksAt(r.URL.Path) {
		h := webhook.Settings
		if !h.Auth.checkHeaders(r) || !h.Auth.checkBody(r, body, g.now()) {
			continue
		}
		genuine = true
		events, ok := parseEvents(r, body, h.List)
		if !ok {
			return http.StatusBadRequest
		}
		if status := g.store(r, webhook, events); status != 0 {
			return status
		}
	}
	if !genuine {
		return http.StatusUnauthorized
	}
	g.drop(gateway.UnhandledKind)
	return http.StatusOK // the events are not needed
}

// drop counts and logs a genuine event that is dropped.
func (g *Gateway) drop(reason string) {
	g.unhandled(reason)
	g.log.Warn("an event of the gateway was dropped: " + reason) //nolint:sloglint // one of five messages, so that the limit of the log is that of each reason
}

// store stores each event of the webhook. After a failure, the gateway sends the whole request again, and events that
// were already stored are recognized. store returns 0 if no event belongs to the webhook.
func (g *Gateway) store(r *http.Request, webhook Webhook, events events) int {
	status, unusable := 0, 0
	for e := range events.each {
		fits, surely := e.fits(webhook.Settings)
		if !fits || !surely && r.URL.Path != webhook.Path {
			continue
		}
		err := webhook.Store(r.Context(), webhook.Settings, e)
		if !surely && errors.Is(err, ErrInvalidEvent) {
			continue // it is another event
		}
		status = http.StatusOK
		switch {
		case errors.Is(err, ErrInvalidEvent):
			unusable++
			g.drop(gateway.UnhandledUnreadable)
		case errors.Is(err, ErrNoSender):
			g.drop(gateway.UnhandledNoSender)
		case errors.Is(err, ErrBinary):
			g.drop(gateway.UnhandledKind)
		case errors.Is(err, ErrIncomplete):
			return http.StatusServiceUnavailable
		case err != nil:
			g.log.Error("storing an event", "err", err)
			return http.StatusServiceUnavailable
		}
	}
	if unusable > 0 && !events.many {
		return http.StatusBadRequest
	}
	return status
}

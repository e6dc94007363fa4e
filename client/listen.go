package griot

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/http"
	"time"

	"example.com/griot/client/internal/wire"
)

const (
	silenceTimeout = time.Minute // longer than any silence of a working stream
	maxLine        = 4 << 20
)

// ListenOptions configure [Client.Listen]. With the zero value, the stream starts with the next new event.
type ListenOptions struct {
	After  string              // the ID of the last received event; the stream continues after it
	Secret func(secret string) // called with the secret that signs the events, and again whenever the secret changes
	Lost   func(err error)     // called when the connection is lost, before reconnecting
}

// A StreamEvent is an event as it is sent to the account's webhook endpoint.
type StreamEvent struct {
	EventID string `json:"eventId"`
	Type    string `json:"type"`
	Body    string `json:"body"` // read it with the package webhook
	Secret  string `json:"-"`    // the signing secret, for forwarding the event
}

// Listen iterates over the account's events as they happen, in addition to their delivery to the webhook endpoint. A
// live key gets all events, and a test key gets the events of simulated messages. Listen reconnects when the
// connection is lost and continues after the last event. The iteration ends when ctx ends, or when the service
// refuses the key. In that case, the last element is the error.
func (c *Client) Listen(ctx context.Context, o ListenOptions) iter.Seq2[StreamEvent, error] {
	return func(yield func(StreamEvent, error) bool) {
		l := &listener{c: c, o: o, yield: yield}
		for {
			err := l.follow(ctx)
			if l.stopped {
				return
			}
			if e := (*Error)(nil); ctx.Err() != nil {
				err = ctx.Err()
			} else if !errors.As(err, &e) || e.HTTPStatus >= http.StatusInternalServerError || e.HTTPStatus == http.StatusTooManyRequests {
				if l.failed++; o.Lost != nil {
					o.Lost(err)
				}
				if err = c.wire.Pause(ctx, l.failed); err == nil {
					continue
				}
			}
			yield(StreamEvent{}, err)
			return
		}
	}
}

// A listener reads streams one after another.
type listener struct {
	c       *Client
	o       ListenOptions
	yield   func(StreamEvent, error) bool
	secret  string
	failed  int  // consecutive streams without any data
	stopped bool // the consumer has ended the iteration
}

// follow reads one stream until it ends.
func (l *listener) follow(ctx context.Context) error {
	what := wire.Call{Method: http.MethodGet, Path: "/api/webhooks/stream", Once: true, Header: http.Header{"Accept": {"text/event-stream"}}}
	if l.o.After != "" {
		what.Header["Last-Event-Id"] = []string{l.o.After}
	}
	res, err := l.c.wire.Open(ctx, what, func(a *wire.Answer) error { return errorOf(a) })
	if err != nil {
		return unanswered(err, "")
	}
	defer res.Body.Close()
	silence := time.AfterFunc(silenceTimeout, func() { _ = res.Body.Close() })
	defer silence.Stop()
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, maxLine)
	for name := ""; lines.Scan(); {
		silence.Reset(silenceTimeout)
		switch field, value := fieldOf(lines.Text()); field {
		case "event":
			name = value
		case "data":
			silence.Stop() // the consumer can take any amount of time
			if err := l.receive(name, []byte(value)); err != nil || l.stopped {
				return err
			}
			silence.Reset(silenceTimeout)
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	return io.ErrUnexpectedEOF
}

// fieldOf splits a line of a server-sent event stream into a field and its value.
func fieldOf(line string) (field, value string) {
	for i := range len(line) {
		if line[i] == ':' {
			if value = line[i+1:]; value != "" && value[0] == ' ' {
				value = value[1:]
			}
			return line[:i], value
		}
	}
	return line, ""
}

// receive handles one event of the stream. The data of an event is always one line.
func (l *listener) receive(name string, data []byte) error {
	var got struct {
		Secret string `json:"secret"`
		StreamEvent
	}
	if err := json.Unmarshal(data, &got); err != nil {
		return err
	}
	l.failed = 0
	switch name {
	case "hello":
		if got.Secret != l.secret && l.o.Secret != nil {
			l.o.Secret(got.Secret)
		}
		l.secret = got.Secret
	case "event":
		got.StreamEvent.Secret = l.secret
		l.o.After = got.EventID
		l.stopped = !l.yield(got.StreamEvent, nil)
	}
	return nil
}

// A StreamSecret is the new secret that signs the events of a live key's streams.
type StreamSecret struct {
	Answer
	Secret string `json:"secret"`
}

// RotateStreamSecret replaces the secrets of [Client.Listen], including those of test keys. Open streams switch to
// the new secrets immediately.
func (c *Client) RotateStreamSecret(ctx context.Context) (*StreamSecret, error) {
	return fetch[StreamSecret](ctx, c, call{method: http.MethodPost, path: "/api/webhooks/stream/rotate-secret"})
}

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
	silenceTimeout = time.Minute // the stream sends something more often
	maxLine        = 4 << 20
)

// ListenOptions change how [Client.Listen] works; the zero value begins with what happens now.
type ListenOptions struct {
	After  string              // the id of the last event that was received: it goes on behind it
	Secret func(secret string) // is called with the secret that signs the events, and with each new one
	Lost   func(err error)     // is called when the connection is lost, before it is made again
}

// StreamEvent is an event as it would go to the account's endpoint.
type StreamEvent struct {
	EventID string `json:"eventId"`
	Type    string `json:"type"`
	Body    string `json:"body"` // the package webhook reads it
	Secret  string `json:"-"`    // what signs it, for whom it is passed on to
}

// Listen iterates over the account's events as they happen, beside their delivery to its endpoint. A live key gets all
// events, a test key those of simulated messages. A connection that is lost is made again, and goes on behind the last
// event. The iteration ends when ctx does, or when the service refuses the key: with that as its last error.
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

// listener reads one stream after the other.
type listener struct {
	c       *Client
	o       ListenOptions
	yield   func(StreamEvent, error) bool
	secret  string
	failed  int  // streams since something was received
	stopped bool // the caller wants no more
}

// follow reads one stream to its end.
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
			silence.Stop() // the caller may take its time
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

// fieldOf splits a line of server-sent events.
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

// receive handles one event of the stream. Each has its data in one line.
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

// StreamSecret signs the events of a live key's streams from now on.
type StreamSecret struct {
	Answer
	Secret string `json:"secret"`
}

// RotateStreamSecret replaces the secrets of [Client.Listen], those of test keys too. Open streams get theirs at once.
func (c *Client) RotateStreamSecret(ctx context.Context) (*StreamSecret, error) {
	return fetch[StreamSecret](ctx, c, call{method: http.MethodPost, path: "/api/webhooks/stream/rotate-secret"})
}

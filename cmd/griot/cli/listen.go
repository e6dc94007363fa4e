package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	griot "example.com/griot/client"
	"example.com/griot/cmd/griot/console"
	"example.com/griot/cmd/griot/exit"
	"example.com/griot/internal/webhook"
)

const (
	forwardTimeout = 30 * time.Second
	maxReply       = 1 << 20
)

// listener forwards an account's events to this machine.
type listener struct {
	connection
	to      string
	out     io.Writer
	forward *http.Client
}

func listenCommand(options *Options) *cobra.Command {
	l := &listener{connection: connection{o: options}, forward: &http.Client{
		Timeout: forwardTimeout, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	c := &cobra.Command{
		Use: "listen [--forward-to URL]", Short: "Forward webhook events to this machine",
		Long: `Forward an account's webhook events to this machine. Each event arrives once and
is signed. Use the account's live key, or its test key for the events of
simulated messages. Press Ctrl-C to stop.`,
		Example: `  griot listen --forward-to http://localhost:3000/hooks/griot
  griot listen --profile shop --json | jq .body`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			l.out = c.OutOrStdout()
			return l.run(c.Context())
		},
	}
	c.Flags().SortFlags = false
	c.Flags().StringVar(&l.to, "forward-to", "", "URL for a POST of each event: http://localhost:3000/hook (default: only show events)")
	l.flags(c)
	return c
}

func (l *listener) run(ctx context.Context) error {
	if u, err := url.Parse(l.to); l.to != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
		return exit.Usage("--forward-to must be a URL that starts with http:// or https://")
	}
	api, err := l.client()
	if err != nil {
		return err
	}
	for e, err := range api.Listen(ctx, griot.ListenOptions{Secret: l.showSecret, Lost: l.lost}) {
		if err != nil {
			if ctx.Err() != nil { // Ctrl-C ends it
				return nil
			}
			return l.failed(err)
		}
		if err := l.handle(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

// showSecret shows the secret that signs the events.
func (l *listener) showSecret(secret string) {
	if l.json {
		_ = json.NewEncoder(l.out).Encode(map[string]string{"secret": secret})
		return
	}
	_, _ = fmt.Fprintf(l.out, "Listening at %s. Events are signed with %s\n", l.at.url, secret)
}

// lost prints the reason that there is currently no stream.
func (l *listener) lost(err error) {
	if l.json {
		_ = json.NewEncoder(l.out).Encode(map[string]string{"lost": why(err)})
		return
	}
	_, _ = fmt.Fprintf(l.out, "The stream ended (%s); reconnecting\n", why(err))
}

// listenLine is an event as JSON.
type listenLine struct {
	EventID    string          `json:"eventId"`
	Type       string          `json:"type"`
	Status     int             `json:"status,omitempty"` // listenLine is an event as a line of JSON.
	Failure    string          `json:"failure,omitempty"`
	DurationMS int64           `json:"durationMs,omitempty"`
	Body       json.RawMessage `json:"body"`
}

// handle shows an event and forwards it.
func (l *listener) handle(ctx context.Context, e griot.StreamEvent) error {
	line := listenLine{EventID: e.EventID, Type: e.Type, Body: json.RawMessage(e.Body)}
	began := time.Now()
	outcome := ""
	if l.to != "" {
		status, text, err := l.post(ctx, e)
		line.Status, line.DurationMS, outcome = status, time.Since(began).Milliseconds(), text
		if err != nil {
			line.Failure = why(err)
			outcome = "not delivered: " + line.Failure
		}
		outcome = fmt.Sprintf("%s  %d ms", outcome, line.DurationMS)
	}
	if l.json {
		return json.NewEncoder(l.out).Encode(line)
	}
	words := []string{began.Local().Format(time.TimeOnly), fmt.Sprintf("%-16s", console.Plain(e.Type)), e.EventID, console.Plain(aboutWhat(e.Body)), console.Plain(outcome)}
	_, err := fmt.Fprintln(l.out, strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), "  "))
	return err
}

// aboutWhat returns a short description of an event; "" for an unknown type.
func aboutWhat(body string) string {
	var e struct{ Status, State, To, From, Address string }
	_ = json.Unmarshal([]byte(body), &e)
	who := cmp.Or(e.From, e.To, e.Address)
	if e.From != "" {
		who = "from " + e.From
	}
	return strings.TrimSpace(cmp.Or(e.Status, e.State) + " " + who)
}

// post posts an event once, in the same way as to an endpoint.
func (l *listener) post(ctx context.Context, e griot.StreamEvent) (status int, text string, err error) {
	key, err := webhook.ParseSecret(e.Secret)
	if err != nil {
		return 0, "", err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, l.to, bytes.NewReader([]byte(e.Body)))
	if err != nil {
		return 0, "", err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "Griot/"+l.o.Version)
	webhook.Sign(req.Header, [][]byte{key}, e.EventID, time.Now(), []byte(e.Body))
	res, err := l.forward.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer res.Body.Close()
	_, _ = io.CopyN(io.Discard, res.Body, maxReply)
	if res.StatusCode/100 == 3 {
		return res.StatusCode, res.Status + " (a redirect, which is a failure)", nil
	}
	return res.StatusCode, res.Status, nil
}

// why returns a short reason for a failed connection.
func why(err error) string {
	if u, ok := errors.AsType[*url.Error](err); ok {
		if u.Timeout() {
			return fmt.Sprintf("no response within %s", forwardTimeout)
		}
		err = u.Err
	}
	if lost, ok := errors.AsType[*griot.UnansweredError](err); ok {
		err = cmp.Or(lost.Err, err)
	}
	if op, ok := errors.AsType[*net.OpError](err); ok {
		return fmt.Sprintf("%s: %v", op.Addr, errors.Unwrap(op))
	}
	return err.Error()
}

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/griot/internal/webhook"
)

const (
	keyVariable    = "GRIOT_API_KEY"
	forwardTimeout = 30 * time.Second
	silenceTimeout = time.Minute // the stream sends something more often
	firstRetry     = time.Second
	maxRetry       = 30 * time.Second
	maxEvent       = 1 << 20
)

func listenCommand() *cobra.Command {
	l := &listener{retry: firstRetry, client: &http.Client{
		Timeout: forwardTimeout, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	c := &cobra.Command{
		Use:   "listen --forward-to URL",
		Short: "Bring an account's webhook events to this machine, beside its endpoint",
		Long:  "Bring an account's webhook events to this machine, as its endpoint gets them. The account's live key (or its test key, for sandbox messages) is read from " + keyVariable + ".",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			l.key, l.out = os.Getenv(keyVariable), c.OutOrStdout()
			return l.run(c.Context())
		},
	}
	c.Flags().StringVar(&l.to, "forward-to", "", "where to POST each event: http://localhost:3000/hook")
	c.Flags().StringVar(&l.api, "api", "http://127.0.0.1:8080", "the messaging API")
	required(c, "forward-to")
	return c
}

// listener forwards the events of a stream.
type listener struct {
	api, to, key  string
	out           io.Writer
	client        *http.Client // towards this machine
	secret        []byte
	printedSecret string // the secret that was printed
	lastEvent     string // the last event's id
	retry         time.Duration
}

// errPermanent is in the chain of errors after which another try is useless.
var errPermanent = errors.New("cannot listen")

func (l *listener) run(ctx context.Context) error {
	if l.key == "" {
		return usage("%s is empty: put the account's key there", keyVariable)
	}
	for _, address := range []string{l.api, l.to} {
		if u, err := url.Parse(address); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return usage("--api and --forward-to are addresses that begin with http:// or https://")
		}
	}
	for {
		err := l.follow(ctx)
		if errors.Is(err, errPermanent) {
			return err
		}
		if ctx.Err() == nil {
			fmt.Fprintf(l.out, "The stream has ended (%v); trying again in %s\n", err, l.retry)
		}
		select {
		case <-ctx.Done():
			return nil // Ctrl-C
		case <-time.After(l.retry):
		}
		l.retry = min(2*l.retry, maxRetry)
	}
}

// follow reads one stream to its end.
func (l *listener) follow(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	silence := time.AfterFunc(silenceTimeout, cancel)
	defer silence.Stop()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(l.api, "/")+"/api/webhooks/stream", nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+l.key)
	if l.lastEvent != "" {
		req.Header.Set("Last-Event-ID", l.lastEvent)
	}
	c := &http.Client{CheckRedirect: l.client.CheckRedirect} // without a time limit
	res, err := c.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		err := fmt.Errorf("the API answers %s", res.Status)
		if res.StatusCode < http.StatusInternalServerError && res.StatusCode != http.StatusTooManyRequests {
			err = fmt.Errorf("%w: %w", errPermanent, err)
		}
		return err
	}
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, maxEvent)
	name := ""
	for lines.Scan() {
		silence.Reset(silenceTimeout)
		switch line := lines.Text(); {
		case strings.HasPrefix(line, "event: "):
			name = line[len("event: "):]
		case strings.HasPrefix(line, "data: "):
			if err := l.handle(ctx, name, []byte(line[len("data: "):])); err != nil {
				return err
			}
		}
	}
	return errors.Join(lines.Err(), io.EOF)
}

// handle handles one event of the stream.
func (l *listener) handle(ctx context.Context, name string, data []byte) error {
	var got struct {
		Secret, EventID, Type, Body string
	}
	if err := json.Unmarshal(data, &got); err != nil {
		return err
	}
	l.retry = firstRetry
	switch name {
	case "hello":
		key, err := webhook.ParseSecret(got.Secret)
		if err != nil {
			return err
		}
		if l.secret = key; l.printedSecret != got.Secret {
			l.printedSecret = got.Secret
			fmt.Fprintf(l.out, "Listening. Events are signed with %s\n", got.Secret)
		}
	case "event":
		started := time.Now()
		outcome := l.forward(ctx, got.EventID, []byte(got.Body))
		l.lastEvent = got.EventID
		fmt.Fprintf(l.out, "%s  %-16s  %s  %s  %d ms\n", started.Format(time.TimeOnly), got.Type, got.EventID, outcome, time.Since(started).Milliseconds())
	}
	return nil
}

// forward posts an event once, as an endpoint would get it, and returns the outcome for the terminal.
func (l *listener) forward(ctx context.Context, eventID string, body []byte) string {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, l.to, bytes.NewReader(body))
	if err != nil {
		return "not sent"
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "Griot/"+version)
	webhook.Sign(req.Header, [][]byte{l.secret}, eventID, time.Now(), body)
	res, err := l.client.Do(req)
	if err != nil {
		return "no answer"
	}
	defer res.Body.Close()
	_, _ = io.CopyN(io.Discard, res.Body, maxEvent)
	return res.Status
}

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

	"griot/internal/webhook"
)

const (
	keyVariable = "GRIOT_API_KEY"
	forwardTime = 30 * time.Second
	silenceTime = time.Minute // the stream beats more often
	againFirst  = time.Second
	againMost   = 30 * time.Second
	maxEvent    = 1 << 20
)

func listenCommand() *cobra.Command {
	l := &listener{again: againFirst, client: &http.Client{
		Timeout: forwardTime, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
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

// listener passes on what a stream tells.
type listener struct {
	api, to, key string
	out          io.Writer
	client       *http.Client // towards this machine
	secret       []byte
	shown        string // the secret that was printed
	last         string // the last event's id
	again        time.Duration
}

// errHopeless is in the chain of what will not be better when it is tried again.
var errHopeless = errors.New("it can't be listened to")

func (l *listener) run(ctx context.Context) error {
	if l.key == "" {
		return errors.New(keyVariable + " is empty: put the account's key there")
	}
	for _, address := range []string{l.api, l.to} {
		if u, err := url.Parse(address); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return errors.New("--api and --forward-to are addresses that begin with http:// or https://")
		}
	}
	for {
		err := l.follow(ctx)
		if errors.Is(err, errHopeless) {
			return err
		}
		if ctx.Err() == nil {
			fmt.Fprintf(l.out, "The stream has ended (%v); trying again in %s\n", err, l.again)
		}
		select {
		case <-ctx.Done():
			return nil // who listens has had enough
		case <-time.After(l.again):
		}
		l.again = min(2*l.again, againMost)
	}
}

// follow reads one stream to its end.
func (l *listener) follow(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	silence := time.AfterFunc(silenceTime, cancel)
	defer silence.Stop()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(l.api, "/")+"/api/webhooks/stream", nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+l.key)
	if l.last != "" {
		req.Header.Set("Last-Event-ID", l.last)
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
			err = fmt.Errorf("%w: %w", errHopeless, err)
		}
		return err
	}
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, maxEvent)
	name := ""
	for lines.Scan() {
		silence.Reset(silenceTime)
		switch line := lines.Text(); {
		case strings.HasPrefix(line, "event: "):
			name = line[len("event: "):]
		case strings.HasPrefix(line, "data: "):
			if err := l.heard(ctx, name, []byte(line[len("data: "):])); err != nil {
				return err
			}
		}
	}
	return errors.Join(lines.Err(), io.EOF)
}

// heard takes one event of the stream.
func (l *listener) heard(ctx context.Context, name string, data []byte) error {
	var got struct {
		Secret, EventID, Type, Body string
	}
	if err := json.Unmarshal(data, &got); err != nil {
		return err
	}
	l.again = againFirst
	switch name {
	case "hello":
		key, err := webhook.ParseSecret(got.Secret)
		if err != nil {
			return err
		}
		if l.secret = key; l.shown != got.Secret {
			l.shown = got.Secret
			fmt.Fprintf(l.out, "Listening. Events are signed with %s\n", got.Secret)
		}
	case "event":
		started := time.Now()
		outcome := l.forward(ctx, got.EventID, []byte(got.Body))
		l.last = got.EventID
		fmt.Fprintf(l.out, "%s  %-16s  %s  %s  %d ms\n", started.Format(time.TimeOnly), got.Type, got.EventID, outcome, time.Since(started).Milliseconds())
	}
	return nil
}

// forward posts an event as an endpoint would get it, once, and says what came of it.
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

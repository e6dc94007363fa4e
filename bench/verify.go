package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	verifyAccounts = 3                // of a program, so that connections share them
	verifyMessages = 20               // number of messages on the pages
	verifyWait     = 30 * time.Second // for the last message and the last event of a load
)

// verify checks without measuring. In each scenario, every connection makes -verify requests. Each accepted message
// must arrive at its phone once, with each of its events once. The pages must show the messages for their measurements.
func (r *report) verify(ctx context.Context) error {
	if r.wantsSends() {
		if err := r.verifySends(ctx); err != nil {
			return err
		}
	}
	if !r.wants("pages") {
		return nil
	}
	s, err := startPages(ctx, r.o, verifyMessages)
	if err != nil {
		return err
	}
	defer s.stop()
	if err := s.showMessages(ctx); err != nil {
		return err
	}
	r.line("pages", fmt.Sprintf("%d messages", verifyMessages), "", "shown")
	return nil
}

func (r *report) verifySends(ctx context.Context) (err error) {
	e, err := startEndpoint(ctx)
	if err != nil {
		return err
	}
	defer e.stop()
	s := &sendBench{o: r.o, bare: &bareServer{address: e.address}, programs: programs(r.o), accounts: verifyAccounts, requests: r.o.verify}
	s.inspect = func(ctx context.Context, sc *scenario, g *griot, accepted int64) error {
		if want := int64(sc.Connections * s.requests * sc.messages()); accepted != want {
			return fmt.Errorf("%w: %d messages were accepted, want %d", errStored, accepted, want)
		}
		if err := phonesHave(ctx, g.BaseURL, sc, s.requests); err != nil || !sc.webhooks {
			return err
		}
		return e.has(ctx, accepted, sc.receipts)
	}
	if r.o.postgres != "" {
		if s.server, err = openServer(ctx, r.o.postgres); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, s.server.close(ctx)) }()
	}
	for _, sc := range r.o.allScenarios() {
		if !r.wants(sc.Name) {
			continue
		}
		for _, p := range s.programs {
			e.reset()
			got, err := s.sample(ctx, sc, p)
			if err != nil {
				return fmt.Errorf("%s: %s: %w", sc.Name, p.name, err)
			}
			sc.Subjects = append(sc.Subjects, &subject{Name: p.name, Samples: []*sample{got}, Median: got})
			r.print(sc.Name, fmt.Sprintf("%d messages", got.Accepted), "", "each came once to "+p.name)
		}
		r.kept.Sends = append(r.kept.Sends, sc)
	}
	return nil
}

// phonesHave waits until each phone has the messages that were sent to it, each of them once.
func phonesHave(ctx context.Context, baseURL string, sc *scenario, requests int) error {
	want := map[int64]int64{}
	for n := range sc.Connections * requests * sc.messages() {
		want[sc.recipient(n)]++
	}
	for number, n := range want {
		references := map[string]bool{}
		err := eventually(ctx, fmt.Sprintf("messages on phone %d", number), n, func() (int64, error) {
			var phone struct{ Messages []struct{ Reference string } }
			if err := getJSON(ctx, fmt.Sprintf("%s/dev/phones/%d/messages", baseURL, number), &phone); err != nil {
				return 0, err
			}
			clear(references)
			for _, m := range phone.Messages {
				references[m.Reference] = true
			}
			return int64(len(phone.Messages)), nil
		})
		if err != nil {
			return err
		}
		if int64(len(references)) != n {
			return fmt.Errorf("%w: phone %d has %d messages of %d references: one came twice", errStored, number, n, len(references))
		}
	}
	return nil
}

// endpoint is a webhook endpoint that stores the statuses of messages, and responds like the bare server.
type endpoint struct {
	address string
	stop    func()

	mu    sync.Mutex
	posts int
	steps map[string][]string // of each message, sorted
	wrong error               // for the first request without an event
}

func startEndpoint(ctx context.Context) (*endpoint, error) {
	var c net.ListenConfig
	l, err := c.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	e := &endpoint{address: l.Addr().String()}
	e.reset()
	srv := &http.Server{ReadHeaderTimeout: time.Minute, Handler: e}
	e.stop = func() { _ = srv.Close() }
	go func() { _ = srv.Serve(l) }()
	return e, nil
}

func (e *endpoint) reset() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.posts, e.steps, e.wrong = 0, map[string][]string{}, nil
}

func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if r.URL.Path == webhookCountPath {
		_, _ = fmt.Fprint(w, e.posts)
		return
	}
	var event struct{ MessageID, Status string }
	if err := json.NewDecoder(r.Body).Decode(&event); err != nil && e.wrong == nil {
		e.wrong = fmt.Errorf("a webhook event is not JSON: %w", err)
	}
	e.posts++
	e.steps[event.MessageID] = append(e.steps[event.MessageID], event.Status)
	slices.Sort(e.steps[event.MessageID])
}

// has waits until each of the accepted messages has its last event, and returns an error unless it then has each of its
// events once. With receipts, a message has no sent event if the receipt arrived before the response.
func (e *endpoint) has(ctx context.Context, accepted int64, receipts bool) error {
	last, want := "sent", []string{"sent"}
	if receipts {
		last, want = "delivered", []string{"delivered", "delivered sent"}
	}
	err := eventually(ctx, "messages with an event that they were "+last, accepted, func() (n int64, _ error) {
		e.mu.Lock()
		defer e.mu.Unlock()
		for _, steps := range e.steps {
			if slices.Contains(steps, last) {
				n++
			}
		}
		return n, e.wrong
	})
	if err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for id, steps := range e.steps {
		if got := strings.Join(steps, " "); !slices.Contains(want, got) {
			return fmt.Errorf("%w: the events of %s are %q, want one of %q", errStored, id, got, want)
		}
	}
	return nil
}

// eventually waits until a count has the wanted value.
func eventually(ctx context.Context, what string, want int64, count func() (int64, error)) error {
	deadline := time.Now().Add(verifyWait)
	for {
		got, err := count()
		if err != nil || got == want {
			return err
		}
		if got > want || time.Now().After(deadline) || ctx.Err() != nil {
			return fmt.Errorf("%w: %s: %d, want %d", errStored, what, got, want)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func getJSON(ctx context.Context, url string, out any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	return errors.Join(json.NewDecoder(res.Body).Decode(out), res.Body.Close())
}

package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"sync"
	"time"

	"example.com/griot/griot-whatsapp/protocol"
	"example.com/griot/griot-whatsapp/store"
)

const (
	eventsAtOnce = 16
	eventTimeout = 30 * time.Second
	longestWait  = time.Minute
	idleWait     = 5 * time.Second // another process might have stored events
)

var eventClient = &http.Client{
	Timeout:       eventTimeout,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// bringEvents sends the stored events to Griot, oldest first, until ctx ends.
func (g *Gateway) bringEvents(ctx context.Context) {
	failures := 0
	var after int64
	for ctx.Err() == nil {
		statesBrought := g.bringStates(ctx)
		batch, err := g.config.Store.Events(ctx, after, eventsAtOnce, g.takesIDs(ctx))
		if err != nil && ctx.Err() == nil {
			g.config.Log.Error("the events can't be read", "error", err)
		}
		brought := g.bringAll(ctx, batch)
		g.resume(ctx)
		switch {
		case len(batch) > 0 && brought == 0, !statesBrought, err != nil:
			if failures++; failures == 3 {
				g.config.Log.Error("Griot takes no events: they are kept")
			}
			after = 0
			wait(ctx, min(time.Second<<min(failures-1, 10), longestWait), nil, nil)
		case len(batch) == 0 && after > 0: // some have failed: start again from the oldest after a pause
			after = 0
			wait(ctx, time.Second, nil, nil)
		case len(batch) == 0:
			failures = 0
			wait(ctx, idleWait, g.wake, g.config.Store.Added())
		default:
			if failures = 0; brought < len(batch) {
				after = batch[len(batch)-1].Seq
			}
		}
	}
}

func wait(ctx context.Context, d time.Duration, a, b <-chan struct{}) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-a:
	case <-b:
	case <-ctx.Done():
	}
}

// bringAll sends the events of a batch concurrently and returns the number that are done.
func (g *Gateway) bringAll(ctx context.Context, batch []store.Event) int {
	var group sync.WaitGroup
	done := make([]bool, len(batch))
	for i, e := range batch {
		group.Go(func() {
			status, ids := g.post(ctx, e.Body)
			switch {
			case status == http.StatusOK:
				g.metrics.events.WithLabelValues("taken").Inc()
			case status == http.StatusBadRequest && e.NeedsIDs && !ids: // another node of Griot has an older version
				g.metrics.events.WithLabelValues("failed").Inc()
				return
			case status == http.StatusBadRequest, status == http.StatusRequestEntityTooLarge:
				g.metrics.events.WithLabelValues("refused").Inc()
				g.config.Log.Error("Griot has refused an event for good: it is dropped", "status", status)
			default:
				g.metrics.events.WithLabelValues("failed").Inc()
				return
			}
			if err := g.config.Store.Done(ctx, e.Seq); err != nil {
				g.config.Log.Error("an event was not deleted: it will be brought again", "error", err)
				return
			}
			done[i] = true
		})
	}
	group.Wait()
	n := 0
	for _, ok := range done {
		if ok {
			n++
		}
	}
	return n
}

// bringStates sends the connection states that Griot does not have yet, and reports whether Griot has accepted all of
// them. It stops at the first failure, because each attempt can take 30 seconds.
func (g *Gateway) bringStates(ctx context.Context) bool {
	g.mu.Lock()
	news := g.news
	g.news = map[string]protocol.Connection{}
	g.mu.Unlock()
	all := true
	for name, c := range news {
		if !all {
			g.keepState(name, c)
			continue
		}
		body, err := json.Marshal(protocol.Event{Type: "connection", Connection: &c})
		if err != nil {
			continue
		}
		if status, _ := g.post(ctx, body); status == http.StatusOK || status == http.StatusBadRequest {
			continue
		}
		all = false
		g.keepState(name, c)
	}
	return all
}

// keepState keeps a state to be sent later, unless there is a newer one.
func (g *Gateway) keepState(name string, c protocol.Connection) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, newer := g.news[name]; !newer {
		g.news[name] = c
	}
}

// resume reconnects the numbers that could not store an event, so that WhatsApp sends the event again. It waits until
// at most half of the spool is in use.
func (g *Gateway) resume(ctx context.Context) {
	g.mu.Lock()
	var again []*number
	for _, n := range g.numbers {
		if since := n.failed.Load(); n.full.Load() || since != nil && time.Since(*since) > g.config.MissedPause {
			again = append(again, n)
		}
	}
	g.mu.Unlock()
	if len(again) == 0 {
		return
	}
	if waiting, err := g.config.Store.Waiting(ctx); err != nil || waiting > g.config.MaxEvents/2 {
		return
	}
	for _, n := range again {
		n.full.Store(false)
		n.failed.Store(nil)
		n.device.Reconnect()
	}
}

// heldFor is the time for which messages of people whose number is unknown wait for a Griot that accepts them.
const heldFor = 72 * time.Hour

// takesIDs reports whether Griot accepts messages of people whose number is unknown. Otherwise, it limits those that wait.
func (g *Gateway) takesIDs(ctx context.Context) bool {
	if ids := g.ids.Load(); ids != nil && *ids {
		return true
	}
	deleted, err := g.config.Store.TrimHeld(ctx, heldFor)
	if err != nil && ctx.Err() == nil {
		g.config.Log.Error("the events that wait for a newer Griot can't be deleted", "error", err)
	}
	if deleted > 0 {
		g.metrics.events.WithLabelValues("expired").Add(float64(deleted))
		g.config.Log.Warn("messages of people whose number is unknown were dropped: Griot is too old for them", "messages", deleted)
	}
	return false
}

// setIDs notes whether Griot accepts messages of people whose number is unknown. The nodes of a deployment can have
// different versions during an upgrade, so the latest one counts.
func (g *Gateway) setIDs(ids bool) {
	before := g.ids.Swap(&ids)
	switch {
	case before != nil && *before == ids:
	case ids:
		select {
		case g.wake <- struct{}{}:
		default:
		}
	default:
		g.config.Log.Warn("this version of Griot doesn't accept messages of people whose number is unknown: they are kept for three days")
	}
}

// post sends one event. It returns the status of Griot's response, or 0 if there is none, and whether Griot accepts
// messages of people whose number is unknown.
func (g *Gateway) post(ctx context.Context, body []byte) (status int, ids bool) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, g.config.Griot+"/events", bytes.NewReader(body))
	if err != nil {
		return 0, false
	}
	r.Header.Set("Content-Type", "application/json")
	g.config.Keys[0].Sign(r, "/events", body, time.Now())
	answer, err := eventClient.Do(r)
	if err != nil {
		return 0, false
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 4096))
	_ = answer.Body.Close()
	ids = protocol.HasFeature(answer.Header, protocol.FeatureIDs)
	if answer.StatusCode == http.StatusOK || answer.StatusCode == http.StatusBadRequest { // otherwise, a proxy might have responded
		g.setIDs(ids)
	}
	return answer.StatusCode, ids
}

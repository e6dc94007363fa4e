package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"example.com/griot/griot-whatsapp/protocol"
	"example.com/griot/griot-whatsapp/store"
)

const (
	eventsAtOnce = 16
	eventsRead   = 64 // so that the next ones are read while few are on their way
	eventTimeout = 30 * time.Second
	longestWait  = time.Minute
	idleWait     = 5 * time.Second // another process might have stored events
	againAfter   = time.Second     // a failed event is sent again, even if there are always newer ones

	parkedPause = 24 * time.Hour // until Griot gets an event again that it has refused
	parkedFor   = 7 * 24 * time.Hour
)

var eventClient = &http.Client{
	Timeout:       eventTimeout,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// bringEvents sends the stored events to Griot until ctx ends: those of a conversation one after the other, oldest first,
// and conversations at the same time. After a failure, the conversation waits until the others had their turn.
func (g *Gateway) bringEvents(ctx context.Context) {
	failures := 0
	pass := newPass()
	for ctx.Err() == nil {
		statesBrought := g.bringStates(ctx)
		batch, err := g.config.Store.Events(ctx, pass.after, eventsRead, g.takesIDs(ctx))
		if err != nil && ctx.Err() == nil {
			g.config.Log.Error("the events can't be read", "error", err)
		}
		tried, done := g.bringAll(ctx, batch, pass)
		g.resume(ctx)
		switch {
		case tried > 0 && done == 0, !statesBrought, err != nil:
			if failures++; failures == 3 {
				g.config.Log.Error("Griot takes no events: they are kept")
			}
			pass = newPass()
			wait(ctx, min(time.Second<<min(failures-1, 10), longestWait), nil, nil)
		case len(batch) == 0 && pass.after == 0:
			failures = 0
			wait(ctx, idleWait, g.wake, g.config.Store.Added())
		case len(batch) == 0:
			wait(ctx, againAfter-time.Since(pass.began), nil, nil)
			pass = newPass()
		case pass.after > 0 && time.Since(pass.began) > againAfter:
			pass = newPass()
		default:
			failures = 0
		}
	}
}

// pass is one pass through the stored events.
type pass struct {
	began  time.Time
	after  int64           // the sequence number up to which the events were tried; 0 while none has failed
	failed map[string]bool // the conversations whose next event has failed, so that their later ones wait
}

func newPass() *pass { return &pass{began: time.Now(), failed: map[string]bool{}} }

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

// bringAll sends the events of a batch. It returns the number of events that were tried, and of those that are done.
func (g *Gateway) bringAll(ctx context.Context, batch []store.Event, p *pass) (tried, done int) {
	var conversations [][]store.Event
	index := map[string]int{}
	for _, e := range batch {
		i, known := index[e.Conversation]
		switch {
		case p.failed[e.Conversation]:
		case known:
			conversations[i] = append(conversations[i], e)
		default:
			if e.Conversation != "" {
				index[e.Conversation] = len(conversations)
			}
			conversations = append(conversations, []store.Event{e})
		}
	}
	var group sync.WaitGroup
	slots := make(chan struct{}, eventsAtOnce)
	passed, taken := make([]int, len(conversations)), make([][]int64, len(conversations))
	for i, list := range conversations {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			for ; passed[i] < len(list); passed[i]++ {
				e := list[passed[i]]
				ok, parked := g.bring(ctx, e)
				if !ok {
					return
				}
				if !parked {
					taken[i] = append(taken[i], e.Seq)
				}
			}
		})
	}
	group.Wait()
	for i, n := range passed {
		tried, done = tried+1, done+n
		if list := conversations[i]; n < len(list) {
			p.after = batch[len(batch)-1].Seq
			if list[0].Conversation != "" {
				p.failed[list[0].Conversation] = true
			}
		}
	}
	if p.after > 0 && len(batch) > 0 {
		p.after = batch[len(batch)-1].Seq
	}
	if err := g.config.Store.Done(ctx, slices.Concat(taken...)...); err != nil && ctx.Err() == nil {
		g.config.Log.Error("events were not deleted: they will be brought again", "error", err)
		return tried, 0
	}
	return tried, done
}

// bring sends an event. ok means that the next one of its conversation can follow: Griot has it, or has refused it for good. A
// refused event is parked, because a newer Griot might take it.
func (g *Gateway) bring(ctx context.Context, e store.Event) (ok, parked bool) {
	status, ids := g.post(ctx, ordered(e))
	switch {
	case status == http.StatusOK:
		g.metrics.events.WithLabelValues("taken").Inc()
		return true, false
	case status == http.StatusBadRequest && (ids || !e.NeedsIDs), status == http.StatusRequestEntityTooLarge:
		g.metrics.events.WithLabelValues("refused").Inc()
		g.config.Log.Error("Griot has refused an event: it is parked, and sent again once a day for a week", "status", status)
		err := g.park(ctx, e)
		if err != nil && ctx.Err() == nil {
			g.config.Log.Error("a refused event was not parked: it will be brought again", "error", err)
		}
		return err == nil, true
	}
	g.metrics.events.WithLabelValues("failed").Inc() // also if another node of Griot has an older version
	return false, false
}

// ordered returns the body of an event with its order.
func ordered(e store.Event) []byte {
	if e.Order == 0 || !bytes.HasPrefix(e.Body, []byte(`{"`)) {
		return e.Body
	}
	return append(strconv.AppendInt([]byte(`{"order":`), e.Order, 10), append([]byte(","), e.Body[1:]...)...)
}

// park parks an event, and drops the parked ones that are too old or too many.
func (g *Gateway) park(ctx context.Context, e store.Event) error {
	if err := g.config.Store.Park(ctx, e.Seq, parkedPause); err != nil {
		return err
	}
	deleted, err := g.config.Store.TrimParked(ctx, parkedFor)
	if deleted > 0 {
		g.metrics.events.WithLabelValues("dropped").Add(float64(deleted))
		g.config.Log.Error("events that Griot has refused were dropped", "events", deleted)
	}
	return err
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

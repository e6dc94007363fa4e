package main

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/safedial"
	"example.com/griot/internal/seal"
	"example.com/griot/internal/webhook"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/webhooks"
)

// eventService is a messaging service in this process that only delivers events.
type eventService struct {
	db         *db.DB
	endpoints  *webhooks.Endpoints
	dispatcher *webhook.Dispatcher
	accounts   *account.Directory
	made       int
}

func openEventService(ctx context.Context, path string) (*eventService, error) {
	d, err := db.Open(ctx, "sqlite:"+path)
	if err != nil {
		return nil, err
	}
	if _, err := d.Migrate(ctx); err != nil {
		return nil, err
	}
	key, err := seal.ParseKey(seal.NewMasterKey())
	if err != nil {
		return nil, err
	}
	dial := safedial.Options{Loopback: true, Idle: webhook.PerEndpoint}
	h := &eventService{db: d, accounts: account.NewDirectory(d, clock.System)}
	h.endpoints = webhooks.NewEndpoints(webhook.Endpoints{DB: d, Key: key, Dial: dial, Now: clock.System, Signal: &webhook.Signal{}})
	h.dispatcher = webhooks.NewDispatcher(webhook.Options{
		DB: d, Key: key, Client: safedial.Client(dial), Timing: webhook.StandardTiming(), Now: clock.System, Log: slog.New(slog.DiscardHandler), Signal: h.endpoints.Signal, Agent: "Griot/bench",
	})
	return h, nil
}

// account creates an account with an endpoint.
func (h *eventService) account(ctx context.Context, url string) (string, error) {
	h.made++
	a, err := h.accounts.Create(ctx, &account.Spec{Name: "bench", Email: fmt.Sprintf("bench%d@example.com", h.made), Plan: "unlimited"})
	if err != nil {
		return "", err
	}
	_, err = h.endpoints.Set(ctx, a.ID, url)
	return a.ID, err
}

func event(accountID string) *webhooks.Event {
	now := clock.System()
	return webhooks.Received(accountID, "msg_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D", "", gateway.Inbound{
		Channel: gateway.WhatsApp, From: "22376000001", To: "22370000001", Text: "Bonjour, je voudrais commander deux sacs de riz.", At: now,
	}, now)
}

const storeSize = 1000

// store stores n events of an account.
func (h *eventService) store(ctx context.Context, accountID string, n int) error {
	for ; n > 0; n -= storeSize {
		var all []*webhooks.Event
		for range min(n, storeSize) {
			all = append(all, event(accountID))
		}
		err := h.db.Write(ctx, func(tx *db.Tx) error {
			for _, e := range all {
				if err := webhooks.Insert(tx, nil, e); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// webhooks measures deliveries to a local receiver, compares them with the same client without Griot, and measures the
// cost of a million pending events.
func (r *report) webhooks(ctx context.Context) error {
	if !r.wants("webhooks") {
		return nil
	}
	for _, endpoints := range []int{1, 8} {
		bare := &result{}
		own := &result{}
		for turn := range turns / 2 {
			res, err := r.posts(ctx, endpoints*webhook.PerEndpoint)
			if err != nil {
				return err
			}
			bare.add(res)
			if res, err = r.deliveries(ctx, fmt.Sprintf("hooks-%d-%d.db", endpoints, turn), endpoints, int(res.rate()*r.o.seconds.Seconds()/2)); err != nil {
				return err
			}
			own.add(res)
		}
		r.line(fmt.Sprintf("bare POSTs, %d at once", endpoints*webhook.PerEndpoint), fmt.Sprintf("%.0f/s", bare.rate()), "", "the same client and receiver, signed")
		r.line(fmt.Sprintf("webhooks, %d endpoints", endpoints), fmt.Sprintf("%.0f/s", own.rate()), fmt.Sprintf("%.2f", own.rate()/bare.rate()), "≥ 10,000/s")
	}
	return r.backlog(ctx)
}

// posts posts events like the dispatcher, without a database.
func (r *report) posts(ctx context.Context, conns int) (*result, error) {
	p := &webhook.Poster{Client: safedial.Client(safedial.Options{Loopback: true, Idle: conns}), Now: clock.System, Timeout: 15 * time.Second, Agent: "Griot/bench"}
	e := event("account")
	d := &webhook.Request{URL: "http://" + r.bareAddress + "/hook", EventID: e.ID, Type: "application/json", Body: []byte(e.Body), Keys: [][]byte{make([]byte, 32)}}
	var n, failed atomic.Int64
	var wg sync.WaitGroup
	started := time.Now()
	for range conns {
		wg.Go(func() {
			for time.Since(started) < r.o.seconds/2 && ctx.Err() == nil {
				if p.Post(ctx, d).Class != webhook.OK {
					failed.Add(1)
				}
				n.Add(1)
			}
		})
	}
	wg.Wait()
	if failed.Load() > 0 {
		return nil, fmt.Errorf("%d bare POSTs failed", failed.Load())
	}
	return &result{count: n.Load(), took: time.Since(started)}, ctx.Err()
}

// deliveries stores events and then delivers them all.
func (r *report) deliveries(ctx context.Context, file string, endpoints, n int) (*result, error) {
	h, err := openEventService(ctx, filepath.Join(r.o.dir, file))
	if err != nil {
		return nil, err
	}
	defer func() { _ = h.db.Close() }()
	for range endpoints {
		id, err := h.account(ctx, "http://"+r.bareAddress+"/hook")
		if err == nil {
			err = h.store(ctx, id, n/endpoints)
		}
		if err != nil {
			return nil, err
		}
	}
	runCtx, stop := context.WithCancel(ctx)
	defer stop()
	done := make(chan error, 1)
	started := time.Now()
	go func() { done <- h.dispatcher.Run(runCtx) }()
	for remaining := 1; remaining > 0 && ctx.Err() == nil; {
		time.Sleep(10 * time.Millisecond)
		if _, err := h.db.Read(ctx).Row(`SELECT count(*) FROM (SELECT 1 FROM webhook_events WHERE due_at IS NOT NULL LIMIT 1) AS p`).Scan(&remaining); err != nil {
			return nil, err
		}
	}
	took := time.Since(started)
	stop()
	return &result{count: int64(n / endpoints * endpoints), took: took}, <-done
}

const (
	claims  = 2000
	million = 1_000_000
)

// backlog measures a search for due events and a claim, with few pending events and with a million of another account.
func (r *report) backlog(ctx context.Context) error {
	h, err := openEventService(ctx, filepath.Join(r.o.dir, "backlog.db"))
	if err != nil {
		return err
	}
	defer func() { _ = h.db.Close() }()
	hot, err := h.account(ctx, "http://"+r.bareAddress+"/hook")
	if err != nil {
		return err
	}
	small, err := h.account(ctx, "http://"+r.bareAddress+"/hook")
	if err != nil {
		return err
	}
	var few [2]*result
	if err := h.store(ctx, hot, claims); err != nil {
		return err
	}
	for i, account := range []string{small, hot} {
		if few[i], err = h.claimOne(ctx, account); err != nil {
			return err
		}
	}
	if err := h.store(ctx, hot, million); err != nil {
		return err
	}
	for i, name := range []string{"another account's", "its own"} {
		many, err := h.claimOne(ctx, []string{small, hot}[i])
		if err != nil {
			return err
		}
		r.line("claim, 1 million pending: "+name, ms(many.p(0.99))+" p99", fmt.Sprintf("%.2f", float64(many.p(0.99))/float64(few[i].p(0.99))), fmt.Sprintf("of the same with 2,000 pending, ≤ 1.5  [p50 %s and %s]", ms(many.p(0.5)), ms(few[i].p(0.5))))
	}
	return nil
}

// claimOne repeatedly searches for due events and claims one of an account's.
func (h *eventService) claimOne(ctx context.Context, accountID string) (*result, error) {
	res := &result{}
	for range claims {
		if err := h.store(ctx, accountID, 1); err != nil {
			return nil, err
		}
		started := time.Now()
		now := clock.System()
		if _, err := webhooks.Queue().Due(h.db.Read(ctx), now, "bench"); err != nil {
			return nil, err
		}
		var got []*webhook.Claimed
		err := h.db.Write(ctx, func(tx *db.Tx) (err error) {
			got, err = webhooks.Queue().Claim(tx, accountID, now, now.Add(time.Hour), 1)
			return err
		})
		if err != nil || len(got) != 1 {
			return nil, fmt.Errorf("claimed %d: %w", len(got), err)
		}
		res.times = append(res.times, time.Since(started))
	}
	return res, nil
}

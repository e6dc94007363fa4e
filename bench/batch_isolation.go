package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"example.com/griot/internal/db"
)

const (
	delayedRate    = 50 // single sends per second, and as many codes
	delayingCaller = 16 // callers of the account that sends batches
	delayingNumber = 0  // of the account that sends batches
	delayedNumber  = 1  // of the account that sends single messages and codes
)

// delayed are the kinds of requests that batches of another account must not delay.
var delayed = []struct {
	name   string
	target float64
}{{"single sends", 2}, {"one-time codes", 1.5}}

func batchIsolationName(engine db.Engine) string { return fmt.Sprintf("batch isolation, %s", engine) }

// batchIsolation measures single sends and one-time codes of one account while another account sends batches, in turns
// with the same without batches.
func (r *report) batchIsolation(ctx context.Context) error {
	return r.onEachEngine(ctx, batchIsolationName, r.batchIsolationOn)
}

func (r *report) batchIsolationOn(ctx context.Context, engine db.Engine, server *postgresServer) (err error) {
	s := &sendBench{o: r.o, server: server, accounts: delayedNumber + 1}
	ready, err := s.prepare(ctx, &program{path: r.o.binary}, &scenario{Engine: engine})
	if err != nil {
		return err
	}
	g, err := ready.start(ctx)
	if err != nil {
		return err
	}
	defer func() {
		g.stop()
		err = errors.Join(err, g.remove(ctx))
	}()
	if err := g.setReceipts(ctx, false); err != nil {
		return err
	}
	time.Sleep(time.Until(g.started.Add(settleTime)))
	alone, beside := newResults(len(delayed)), newResults(len(delayed))
	batches := &bulkCallers{g: g}
	requests := &pace{len(delayed), func(n int) int { return n % len(delayed) }, delayedRequests(g)}
	for range r.o.rounds {
		for _, turn := range []struct {
			results []*result
			start   func(context.Context) (end func() error)
		}{
			{alone, func(context.Context) (end func() error) { return func() error { return nil } }},
			{beside, batches.start},
		} {
			end := turn.start(ctx)
			got, err := requests.load(ctx, delayedRate*len(delayed), s.roundTime())
			if err = errors.Join(err, end()); err != nil {
				return err
			}
			for kind, res := range got {
				turn.results[kind].add(res)
			}
		}
	}
	for kind, d := range delayed {
		a, b := alone[kind], beside[kind]
		r.line(fmt.Sprintf("%s: %s", batchIsolationName(engine), d.name), ms(b.p(p99)), fmt.Sprintf("%.2f", float64(b.p(p99))/float64(a.p(p99))),
			fmt.Sprintf("p99 of %d/s beside %d callers of %d of another account, ≤ %.1f of that without  [%s; p50 %s and %s; longest %s and %s; %.0f messages a second in batches]",
				delayedRate, delayingCaller, batchSize, d.target, ms(a.p(p99)), ms(b.p(0.5)), ms(a.p(0.5)), ms(b.p(1)), ms(a.p(1)), batches.rate()))
	}
	return nil
}

// delayedRequests makes single sends and sends codes, each code to another phone.
func delayedRequests(g *running) func(ctx context.Context, client *http.Client, n int) error {
	var codes atomic.Int64
	return func(ctx context.Context, client *http.Client, n int) error {
		path, body := sendPath, (&scenario{}).message(nil, n)
		if n%len(delayed) > 0 {
			path, body = "/api/otp/send", fmt.Appendf(nil, `{"channel":"sms","to":"+2237%07d"}`, codes.Add(1))
		}
		_, err := g.do(ctx, client, g.of.keys[delayedNumber], path, body)
		return err
	}
}

// bulkCallers send batches of one account. They are ordinary clients, because threads that wait for sockets would delay
// the other requests of this process.
type bulkCallers struct {
	g        *running
	requests atomic.Int64
	took     time.Duration
}

// start starts the callers. end stops them after their current batches, and returns the first error.
func (c *bulkCallers) start(ctx context.Context) (end func() error) {
	sc := &scenario{batch: batchSize}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: delayingCaller}}
	begun := time.Now()
	ends := make([]func() error, delayingCaller)
	for i := range ends {
		ends[i] = series(ctx, func() error {
			answer, err := c.g.do(ctx, client, c.g.of.keys[delayingNumber], batchPath, sc.body(nil, int(c.requests.Add(1))))
			if err == nil && !sc.right(answer) {
				err = fmt.Errorf("a batch was answered with %.300s", answer)
			}
			return err
		})
	}
	return func() (err error) {
		for _, end := range ends {
			err = errors.Join(err, end())
		}
		c.took += time.Since(begun)
		client.CloseIdleConnections()
		return err
	}
}

// rate returns the messages a second.
func (c *bulkCallers) rate() float64 {
	return float64(c.requests.Load()*batchSize) / max(c.took.Seconds(), 1e-9)
}

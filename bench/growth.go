package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"time"

	"example.com/griot/internal/db"
)

const (
	growthSmall  = 10_000 // messages
	growthOthers = 20     // in this many requests, there is one for logs, one for the inbox, and one for statistics; the others send
	inboxShare   = 10     // in this many messages, one is also in the inbox

	// retention makes a program delete messages that are older than a month, from its start. This is a fifth of the
	// messages of fillBlocks.
	retention = "GRIOT_RETENTION_MESSAGES=31d"
)

// growth measures requests at a fixed rate in a database with many messages, alternately with a database with few, on
// each engine. During the measurement, the program deletes old messages, and an operator makes backups and, on
// PostgreSQL, vacuums.
func (r *report) growth(ctx context.Context) error {
	if r.o.messages == 0 {
		return nil
	}
	return r.onEachEngine(ctx, growthName, r.growthOn)
}

func growthName(engine db.Engine) string { return fmt.Sprintf("message growth, %s", engine) }

// growthOn measures one engine.
func (r *report) growthOn(ctx context.Context, engine db.Engine, server *postgresServer) error {
	name := growthName(engine) + ": "
	newURL := func() (string, error) { // of an empty database; empty: one in the program's folder
		if server == nil {
			return "", nil
		}
		made, err := server.create(ctx, "template1")
		return server.at(made), err
	}
	few, err := r.newGrown(ctx, engine, growthSmall, newURL)
	if err != nil {
		return err
	}
	many, err := r.newGrown(ctx, engine, r.o.messages, newURL)
	if err != nil {
		return err
	}
	for range r.o.rounds {
		for _, g := range []*grown{few, many} {
			if err := g.measure(ctx, r.o.rate, r.o.seconds/time.Duration(r.o.rounds)); err != nil {
				return err
			}
		}
	}
	if err := errors.Join(few.countPurged(ctx), many.countPurged(ctx)); err != nil {
		return err
	}
	// A late response delays the ones after it. The times then show the duration of the load, and nothing about the
	// database.
	r.line(name+"answered", fmt.Sprintf("%.0f/s", many.rate()), fmt.Sprintf("%.2f", many.rate()/float64(r.o.rate)), fmt.Sprintf("of -rate; below 0.98 of it, choose a lower one  [with few %.0f/s]", few.rate()))
	r.line(name+"processor time", fmt.Sprintf("%.0f µs", many.cost()), fmt.Sprintf("%.2f", many.cost()/few.cost()), fmt.Sprintf("of the program for each request, and for purging  [with few %.0f µs]", few.cost()))
	for kind, what := range growthKinds {
		a, b := few.results[kind], many.results[kind]
		r.line(name+what, ms(b.p(p99)), fmt.Sprintf("%.2f", float64(b.p(p99))/float64(a.p(p99))),
			fmt.Sprintf("p99 at %d/s and %d messages, ≤ 1.5 of that with %d  [%s; p50 %s and %s; longest %s and %s]", r.o.rate, many.stored, few.stored, ms(a.p(p99)), ms(b.p(0.5)), ms(a.p(0.5)), ms(b.p(1)), ms(a.p(1))))
	}
	r.line(name+"longest pause", ms(many.longest()), "", fmt.Sprintf("no target  [with few %s]", ms(few.longest())))
	for _, g := range []*grown{many, few} {
		r.line(fmt.Sprintf("%sbeside %d messages", name, g.stored), fmt.Sprintf("%d purged", g.purged), "", g.upkeep.String())
	}
	return nil
}

// grown is a program with many messages, and its measurements.
type grown struct {
	*pagesSite
	upkeep  *upkeep
	results []*result // by kind
	stored  int
	asked   int64 // including warm-up
	sent    int64 // sends among them
	purged  int64
	used    time.Duration // processor time of the program for them, and for deleting messages at the same time
}

func (r *report) newGrown(ctx context.Context, engine db.Engine, messages int, newURL func() (string, error)) (*grown, error) {
	url, err := newURL()
	if err != nil {
		return nil, err
	}
	s := &pagesSite{binary: r.o.binary, url: url, dir: filepath.Join(r.o.dir, fmt.Sprintf("grown-%s-%d", engine, messages)), env: []string{retention}}
	g := &grown{pagesSite: s, upkeep: newUpkeep(s, cmp.Or(r.o.backups, r.o.dir)), results: newResults(len(growthKinds))}
	begun := time.Now()
	err = s.prepare(ctx, func(h *history) (err error) {
		if g.stored, err = h.fillBlocks(ctx, messages); err == nil {
			s.conversations, err = fillInbox(ctx, h.db, h.account, g.stored/inboxShare)
		}
		return err
	})
	if err == nil && url != "" {
		err = errors.Join(vacuum(ctx, url), checkpoint(ctx, url))
	}
	if err == nil {
		r.line(fmt.Sprintf("%s: %d messages stored", growthName(engine), g.stored), fmt.Sprintf("%.0f s", time.Since(begun).Seconds()), "", "no target")
	}
	return g, err
}

// measure starts the program, loads it during the other work, and ends it.
func (g *grown) measure(ctx context.Context, rate int, d time.Duration) error {
	if err := g.start(ctx); err != nil {
		return err
	}
	defer g.stop()
	if err := g.countsAll(ctx); err != nil {
		return err
	}
	end, before := g.upkeep.start(ctx), g.cpu()
	got, err := (&pace{len(growthKinds), kindOf, g.ask}).load(ctx, rate, d)
	g.used += g.cpu() - before
	if err = errors.Join(err, end()); err != nil {
		return err
	}
	for kind, res := range got {
		g.results[kind].add(res)
		g.asked += res.all
	}
	g.sent += got[sends].all
	return nil
}

// countsAll returns an error unless the statistics include all stored and sent messages, because other results are
// invalid.
func (g *grown) countsAll(ctx context.Context) error {
	answer, err := g.do(ctx, http.DefaultClient, g.Accounts.Unlimited.LiveKey, "/api/stats?step=day&from="+g.from, nil)
	if err != nil {
		return err
	}
	var stats struct{ Buckets []struct{ Total int64 } }
	total, err := int64(0), json.Unmarshal(answer, &stats)
	for _, b := range stats.Buckets {
		total += b.Total
	}
	if want := int64(g.stored) + g.sent; err == nil && total != want {
		err = fmt.Errorf("%w: statistics of %d messages, want %d", errStored, total, want)
	}
	return err
}

// countPurged counts the messages that the program has deleted. It must be called after the program has ended.
func (g *grown) countPurged(ctx context.Context) (err error) {
	d, err := db.Open(ctx, g.database())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	return d.Write(ctx, func(tx *db.Tx) error { // it can take longer than a query outside of a transaction
		var n int64
		_, err := tx.Row(`SELECT count(*) FROM messages`).Scan(&n)
		g.purged = int64(g.stored) + g.sent - n
		return err
	})
}

// rate returns the number of responses per second, for all kinds.
func (g *grown) rate() (sum float64) {
	for _, res := range g.results {
		sum += res.rate()
	}
	return sum
}

// cost returns the processor time of a request in microseconds.
func (g *grown) cost() float64 { return float64(g.used.Microseconds()) / float64(max(g.asked, 1)) }

// longest returns the longest time of a request.
func (g *grown) longest() (d time.Duration) {
	for _, res := range g.results {
		d = max(d, res.p(1))
	}
	return d
}

// growthKinds are the kinds of requests.
var growthKinds = []string{"send", "logs", "inbox", "statistics"}

const sends = 0 // the kind of the sends

// kindOf returns the kind of the request with a number.
func kindOf(n int) int {
	if kind := n%growthOthers + 1; kind < len(growthKinds) {
		return kind
	}
	return sends
}

// ask makes the request with a number.
func (s *pagesSite) ask(ctx context.Context, client *http.Client, n int) error {
	path, body := "", []byte(nil)
	switch turn := n / growthOthers; kindOf(n) {
	case 1:
		path = "/api/svc-logs?limit=50"
	case 2:
		if path = "/api/inbox/conversations"; turn%2 == 1 {
			path += "/" + s.conversations[turn%len(s.conversations)] + "/messages"
		}
	case 3:
		path = "/api/stats?step=day&from=" + s.from
	default:
		path, body = sendPath, (&scenario{}).message(nil, n)
	}
	_, err := s.do(ctx, client, s.Accounts.Unlimited.LiveKey, path, body)
	return err
}

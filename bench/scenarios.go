package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"time"
)

const recipients = 10_000

// sendTo makes the body of a message to the nth recipient.
func sendTo(b []byte, n int) []byte {
	b = append(b, `{"to":"+`...)
	b = strconv.AppendInt(b, int64(22376000000+n%recipients), 10)
	return append(b, `","channel":"sms","message":"Votre commande 2041 est en route."}`...)
}

// send: durable accept over the whole path, beside bare inserts.
func (r *report) send(ctx context.Context, g *griot) error {
	if !r.wants("send, sqlite") {
		return nil
	}
	if err := g.put(ctx, "/dev/phones-options", `{"receipts":false}`); err != nil {
		return err
	}
	bare, err := newInserter(ctx, r.o.dir)
	if err != nil {
		return err
	}
	defer func() { _ = bare.db.Close() }()
	auth := "Authorization: Bearer " + g.Accounts.Unlimited.LiveKey
	inserts := &result{}
	for i, m := range []struct {
		name, target string
		key, one     bool
		receipts     bool
	}{
		{name: "POST /api/send", target: "of inserts, ≥ 0.30 and ≥ 15,000/s"},
		{name: "  with an idempotency key", target: "≥ 11,000/s", key: true},
		{name: "  all to one recipient", target: "no target", one: true},
		{name: "  with a receipt each", target: "no target", receipts: true},
	} {
		if m.receipts {
			if err := g.put(ctx, "/dev/phones-options", `{"receipts":true}`); err != nil {
				return err
			}
		}
		own, took, bareTook := &result{}, time.Duration(0), time.Duration(0)
		stop := r.profile(ctx, g, i)
		mine := &result{}
		for turn := range turns {
			before := self().cpu()
			res, err := repeat(ctx, r.o.conns, r.o.seconds/turns, bare.insert)
			if err != nil {
				return err
			}
			bareTook += self().cpu() - before
			mine.add(res)
			before = g.cpu()
			res, err = load(ctx, host(g.BaseURL), r.o.conns, r.o.seconds/turns, func(conn, n int, b []byte) []byte {
				var room [128]byte
				to := n*r.o.conns + conn
				if m.one {
					to = 1
				}
				if !m.key {
					return request(b, "POST", "/api/send", sendTo(room[:0], to), auth)
				}
				return request(b, "POST", "/api/send", sendTo(room[:0], to), auth, fmt.Sprintf("Idempotency-Key: %d-%d-%d", turn, conn, n))
			})
			if err != nil {
				return err
			}
			took += g.cpu() - before
			own.add(res)
		}
		stop()
		if inserts.add(mine); i == 0 {
			r.rate("bare group-commit inserts (SQLite)", mine, 0, "same pragmas, a row of 300 bytes and an index each")
			r.line("  processor time", fmt.Sprintf("%d µs", bareTook.Microseconds()/max(mine.all, 1)), "", "an insert")
		}
		r.rate(m.name, own, mine.rate(), m.target)
		r.line("  processor time, memory", fmt.Sprintf("%d µs %.0f MB", took.Microseconds()/max(own.all, 1), g.most()), fmt.Sprintf("%.2f", float64(bareTook)/float64(max(mine.all, 1))*float64(own.all)/float64(took)), "the insert's to a message's; the most memory so far, < 80 MB")
	}
	return nil
}

// profile writes a profile of the program while a figure is measured, if it is asked for.
func (r *report) profile(ctx context.Context, g *griot, n int) (stop func()) {
	if r.o.profile == "" {
		return func() {}
	}
	done := make(chan error, 1)
	go func() { done <- g.profile(ctx, fmt.Sprintf("%s.%d", r.o.profile, n), 2*r.o.seconds) }()
	return func() {
		if err := <-done; err != nil {
			fmt.Fprintln(os.Stderr, "bench: profile:", err)
		}
	}
}

// profile fetches where the processor's time goes for d, and what was allocated since the program began.
func (g *griot) profile(ctx context.Context, path string, d time.Duration) error {
	return errors.Join(g.fetch(ctx, fmt.Sprintf("profile?seconds=%d", max(1, int(d.Seconds()))), path+".cpu"), g.fetch(ctx, "allocs", path+".allocs"))
}

func (g *griot) fetch(ctx context.Context, what, path string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, g.InternalURL+"/debug/pprof/"+what, nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, res.Body)
	return errors.Join(err, f.Close())
}

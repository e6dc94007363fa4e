package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"time"

	"griot/gateway"
	"griot/internal/clock"
	"griot/internal/db"
	"griot/internal/httpx"
	"griot/internal/id"
	"griot/internal/seal"
	"griot/messaging/account"
	"griot/messaging/api"
	"griot/messaging/message"
	"griot/messaging/send"
)

const tenants = 100 // accounts

// postgres: durable accept over the whole path on PostgreSQL, from many accounts and
// from one, beside a bare begin, insert, commit. It is served from this process.
func (r *report) postgres(ctx context.Context) error {
	if r.o.postgres == "" || !r.wants("send") {
		return nil
	}
	s, err := startSends(ctx, r.o.postgres)
	if err != nil {
		return err
	}
	defer s.stop()
	bare, many, one, keyed := &result{}, &result{}, &result{}, &result{}
	ask := func(accounts int, key bool, turn int) plan {
		return func(conn, n int, b []byte) []byte {
			var room [128]byte
			to := n*r.o.conns + conn
			auth := "Authorization: Bearer " + s.keys[to%accounts]
			if !key {
				return request(b, "POST", "/api/send", sendTo(room[:0], to), auth)
			}
			return request(b, "POST", "/api/send", sendTo(room[:0], to), auth, fmt.Sprintf("Idempotency-Key: %d-%d-%d", turn, conn, n))
		}
	}
	for turn := range turns {
		res, err := repeat(ctx, r.o.conns, r.o.seconds/turns, s.insert)
		if err != nil {
			return err
		}
		bare.add(res)
		for _, m := range []struct {
			total *result
			plan  plan
		}{{many, ask(tenants, false, turn)}, {one, ask(1, false, turn)}, {keyed, ask(tenants, true, turn)}} {
			if res, err = load(ctx, s.address, r.o.conns, r.o.seconds/turns, m.plan); err != nil {
				return err
			}
			m.total.add(res)
		}
	}
	r.rate("bare begin, insert, commit (PostgreSQL)", bare, 0, "a row of 300 bytes and an index")
	r.rate("POST /api/send, PostgreSQL", many, bare.rate(), "of bare, ≥ 0.90 and ≥ 10,000/s; 100 accounts")
	r.rate("  one account", one, bare.rate(), "of bare, ≥ 0.90 and ≥ 10,000/s")
	r.rate("  100 accounts, idempotency keys", keyed, bare.rate(), "no target")
	return nil
}

// sendSite is accounts on PostgreSQL, and what serves them.
type sendSite struct {
	*inserter
	address string
	keys    []string
	end     context.CancelFunc
	ended   chan struct{}
}

func (s *sendSite) stop() {
	s.end()
	<-s.ended
	_ = s.db.Close()
}

// atOnce is a gateway that acknowledges everything.
type atOnce struct{}

// Send implements [gateway.Sender].
func (atOnce) Send(context.Context, *gateway.Outbound) (gateway.Ack, error) {
	return gateway.Ack{ProviderID: "taken"}, nil
}

// Close implements [gateway.Sender].
func (atOnce) Close() error { return nil }

// Info implements [gateway.Sender].
func (atOnce) Info() gateway.Info { return gateway.Info{Deduplicates: true, Receipts: true} }

func startSends(ctx context.Context, url string) (*sendSite, error) {
	d, err := db.Open(ctx, url)
	if err != nil {
		return nil, err
	}
	s := &sendSite{ended: make(chan struct{})}
	if _, err := d.Migrate(ctx); err != nil {
		return nil, err
	}
	if s.inserter, err = newRows(ctx, d); err != nil {
		return nil, err
	}
	directory := account.NewDirectory(d, clock.System)
	for n := range tenants {
		a, err := directory.Create(ctx, &account.Spec{
			Name: "Bench", Email: fmt.Sprintf("bench-%s@example.com", id.New(time.Now())), Plan: "unlimited",
			Senders: []account.Sender{{Channel: gateway.SMS, Address: fmt.Sprintf("2237%07d", time.Now().UnixNano()/1000%100000*100+int64(n)), Gateway: "at once"}},
		})
		if err != nil {
			return nil, err
		}
		key, err := directory.CreateKey(ctx, a.ID, "", account.Live)
		if err != nil {
			return nil, err
		}
		s.keys = append(s.keys, key)
	}
	master, err := seal.ParseKey(seal.NewMasterKey())
	if err != nil {
		return nil, err
	}
	log := slog.New(slog.DiscardHandler)
	engine := send.New(send.Options{
		DB: d, Key: master, Directory: directory, Presets: message.Presets{}, Now: clock.System, Log: log,
		Gateways: gateway.NewSet(map[string]gateway.Sender{"at once": atOnce{}}),
	})
	house, err := api.New(api.Options{DB: d, Directory: directory, Now: clock.System, Log: log, URL: "http://127.0.0.1", Engine: engine})
	if err != nil {
		return nil, err
	}
	var c net.ListenConfig
	l, err := c.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s.address = l.Addr().String()
	ctx, s.end = context.WithCancel(ctx)
	go func() {
		defer close(s.ended)
		running := make(chan error, 1)
		go func() { running <- engine.Run(ctx) }()
		_ = httpx.Serve(ctx, l, house.Handler(), log)
		if err := <-running; err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
		}
	}()
	return s, nil
}

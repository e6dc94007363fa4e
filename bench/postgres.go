package main

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"os"
	"runtime/pprof"
	"time"

	"griot/gateway"
	"griot/internal/clock"
	"griot/internal/db"
	"griot/internal/id"
	"griot/internal/seal"
	"griot/messaging/account"
	"griot/messaging/api"
	"griot/messaging/delivery"
	"griot/messaging/message"
)

const tenants = 100 // accounts

// postgres: durable accept over the whole path on PostgreSQL, from many accounts and
// from one, beside a bare begin, insert, commit. It is served from this process.
func (r *report) postgres(ctx context.Context) error {
	if r.o.postgres == "" || !r.wants("send, postgres") {
		return nil
	}
	s, err := startSends(ctx, r.o.postgres)
	if err != nil {
		return err
	}
	defer s.stop()
	ask := func(accounts int, key bool) plan {
		return func(conn, n int, b []byte) []byte {
			var room [128]byte
			to := n*r.o.conns + conn
			auth := "Authorization: Bearer " + s.keys[to%accounts]
			if !key {
				return request(b, "POST", "/api/send", sendTo(room[:0], to), auth)
			}
			return request(b, "POST", "/api/send", sendTo(room[:0], to), auth, "Idempotency-Key: "+id.New(time.Now()))
		}
	}
	send := func(p plan) func(time.Duration) (*result, error) {
		return func(d time.Duration) (*result, error) { return load(ctx, s.address, r.o.conns, d, p) }
	}
	figures := []*costly{
		{name: "bare begin, insert, commit (PostgreSQL)", target: "a row of 300 bytes and an index", do: func(d time.Duration) (*result, error) { return repeat(ctx, r.o.conns, d, s.rows.insert) }},
		{name: "POST /api/send, PostgreSQL", target: "of bare, ≥ 0.90 and ≥ 10,000/s; 100 accounts", do: send(ask(tenants, false))},
		{name: "  one account", target: "of bare, ≥ 0.90 and ≥ 10,000/s", do: send(ask(1, false))},
		{name: "  100 accounts, idempotency keys", target: "no target", do: send(ask(tenants, true))},
	}
	stop, err := r.profileSelf()
	if err != nil {
		return err
	}
	for range turns {
		for _, f := range figures {
			if err := f.measure(ctx, s.db, r.o.seconds/turns); err != nil {
				return err
			}
		}
	}
	stop()
	bare := figures[0]
	for i, f := range figures {
		base := 0.0
		if i > 0 {
			base = bare.total.rate()
		}
		r.rate(f.name, &f.total, base, f.target)
		own, theirs := f.each()
		bareOwn, bareTheirs := bare.each()
		ratio := fmt.Sprintf("%.2f", float64(bareOwn+bareTheirs)/float64(own+theirs))
		r.line("  processor time", fmt.Sprintf("%d + %d µs", own.Microseconds(), theirs.Microseconds()), ratio, fmt.Sprintf("this process, with the client in it, and PostgreSQL; the ratio is bare's to it  [%.2f commits]", float64(f.commits)/float64(max(f.done, 1))))
	}
	r.line("  memory", fmt.Sprintf("%.0f MB", self().memory()), "", "the client's too")
	return nil
}

// costly is a figure with the processor time that it takes.
type costly struct {
	name, target string
	do           func(time.Duration) (*result, error)
	total        result
	done         int64         // with what was done while warming up
	own, theirs  time.Duration // of this process, and of PostgreSQL
	commits      int64
}

func (f *costly) measure(ctx context.Context, d *db.DB, lasts time.Duration) error {
	own, theirs := self().cpu(), serverCPU(ctx, d)
	_, commits := d.Stats()
	res, err := f.do(lasts)
	if err != nil {
		return err
	}
	f.own, f.theirs = f.own+self().cpu()-own, f.theirs+serverCPU(ctx, d)-theirs
	_, after := d.Stats()
	f.commits += after - commits
	f.done += res.all
	f.total.add(res)
	return nil
}

func (f *costly) each() (own, theirs time.Duration) {
	n := time.Duration(max(f.done, 1))
	return f.own / n, f.theirs / n
}

// serverCPU is the processor time that the processes of a PostgreSQL server on this machine have used; zero for another's.
func serverCPU(ctx context.Context, d *db.DB) (used time.Duration) {
	parent := process(0)
	err := d.Read(ctx).Each(func(rows *sql.Rows) error {
		var pid process
		err := rows.Scan(&pid)
		used, parent = used+pid.cpu(), pid.parent()
		return err
	}, `SELECT pid FROM pg_stat_activity`)
	if err != nil || parent <= 1 {
		return 0
	}
	return used + parent.cpu() // with its children that have ended
}

// profileSelf writes a profile of this process while a figure is measured, if it is asked for.
func (r *report) profileSelf() (stop func(), err error) {
	if r.o.profile == "" {
		return func() {}, nil
	}
	f, err := os.Create(r.o.profile + ".postgres.cpu")
	if err != nil {
		return nil, err
	}
	return func() {
		pprof.StopCPUProfile()
		_ = f.Close()
	}, pprof.StartCPUProfile(f)
}

// sendSite is accounts on PostgreSQL, and what serves them.
type sendSite struct {
	site
	rows *inserter
	keys []string
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
	s := &sendSite{site: site{db: d}}
	if _, err := d.Migrate(ctx); err != nil {
		return nil, err
	}
	if s.rows, err = newRows(ctx, d); err != nil {
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
	engine := delivery.New(delivery.Options{
		DB: d, Key: master, Directory: directory, Presets: message.Presets{}, Now: clock.System, Log: log,
		Gateways: gateway.NewSet(map[string]gateway.Sender{"at once": atOnce{}}),
	})
	service, err := api.New(api.Options{DB: d, Directory: directory, Now: clock.System, Log: log, URL: "http://127.0.0.1", Engine: engine})
	if err != nil {
		return nil, err
	}
	return s, s.serve(ctx, service.Handler(), engine.Run)
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"example.com/griot/internal/db"
)

const (
	isolationRate = 500 // messages per second, of all accounts in turn, unless -rate is lower
	deadAccount   = 0   // its endpoint never responds
	slowAccount   = 1   // its endpoint responds after slowAnswer
	slowAnswer    = 3 * time.Second
)

// isolation measures the time until events arrive at working endpoints while another account's endpoint never responds
// and one is slow. It alternates with measurements in which all work. A time starts with the request that sends the
// message.
func (r *report) isolation(ctx context.Context) error {
	return r.onEachEngine(ctx, isolationName, r.isolationOn)
}

func isolationName(engine db.Engine) string {
	return fmt.Sprintf("webhook isolation, %s", engine)
}

func (r *report) isolationOn(ctx context.Context, engine db.Engine, server *postgresServer) error {
	receiver, err := startReceiver(ctx)
	if err != nil {
		return err
	}
	defer receiver.stop()
	s := &sendBench{o: r.o, server: server, accounts: accounts, endpoint: receiver.url}
	ready, err := s.prepare(ctx, &program{path: r.o.binary}, &scenario{Engine: engine, webhooks: true})
	if err != nil {
		return err
	}
	well, sick := &result{}, &result{}
	for range r.o.rounds {
		for _, of := range []*result{well, sick} {
			receiver.reset(of == sick)
			got, err := s.arrivals(ctx, ready, receiver)
			if err != nil {
				return err
			}
			of.add(got)
		}
	}
	r.line(isolationName(engine), ms(sick.p(p99)), fmt.Sprintf("%.2f", float64(sick.p(p99))/float64(well.p(p99))),
		fmt.Sprintf("p99 until an event arrives at %d endpoints while one never answers and one takes %s, ≤ 1.2 of that while all work  [%s; p50 %s and %s; longest %s and %s; %d messages a second]",
			accounts-2, slowAnswer, ms(well.p(p99)), ms(sick.p(0.5)), ms(well.p(0.5)), ms(sick.p(1)), ms(well.p(1)), s.isolationRate()))
	return nil
}

// arrivals sends messages of all accounts with a copy of a prepared database, and returns the times until the events
// for working endpoints have arrived. All of them must arrive.
func (s *sendBench) arrivals(ctx context.Context, ready *prepared, to *receiver) (_ *result, err error) {
	g, err := ready.start(ctx)
	if err != nil {
		return nil, err
	}
	defer func() {
		g.stop()
		err = errors.Join(err, g.remove(ctx))
	}()
	counted := time.Now().Add(warmUp)
	send := func(ctx context.Context, client *http.Client, n int) error {
		account, at := n%accounts, time.Now()
		answer, err := g.do(ctx, client, ready.keys[account], sendPath, (&scenario{}).message(nil, n))
		if err != nil || isSick(account) {
			return err
		}
		var accepted struct{ MessageID string }
		err = json.Unmarshal(answer, &accepted)
		to.expect(accepted.MessageID, at)
		return err
	}
	if _, err := (&pace{1, func(int) int { return 0 }, send}).load(ctx, s.isolationRate(), s.roundTime()); err != nil {
		return nil, err
	}
	return to.times(ctx, counted)
}

func (s *sendBench) isolationRate() int { return min(isolationRate, s.o.rate) }

func isSick(account int) bool { return account == deadAccount || account == slowAccount }

// receiver is the endpoint of all accounts, and stores the arrival times of messages' events.
type receiver struct {
	address string
	stop    func()

	mu      sync.Mutex
	sick    bool
	begun   map[string]time.Time // send time by message
	arrived map[string]time.Time
}

func startReceiver(ctx context.Context) (*receiver, error) {
	var c net.ListenConfig
	l, err := c.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &receiver{address: l.Addr().String()}
	srv := &http.Server{ReadHeaderTimeout: time.Minute, Handler: r}
	r.stop = func() { _ = srv.Close() }
	go func() { _ = srv.Serve(l) }()
	return r, nil
}

// url returns the endpoint of an account.
func (r *receiver) url(account int) string { return fmt.Sprint("http://", r.address, "/", account) }

// reset removes all messages. sick determines whether the endpoints of two accounts fail from now on.
func (r *receiver) reset(sick bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sick, r.begun, r.arrived = sick, map[string]time.Time{}, map[string]time.Time{}
}

func (r *receiver) expect(message string, begun time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.begun[message] = begun
}

func (r *receiver) ServeHTTP(_ http.ResponseWriter, req *http.Request) {
	var event struct{ MessageID string }
	if err := json.NewDecoder(req.Body).Decode(&event); err != nil {
		return
	}
	account, _ := strconv.Atoi(strings.TrimPrefix(req.URL.Path, "/"))
	r.mu.Lock()
	r.arrived[event.MessageID] = time.Now()
	sick := r.sick && isSick(account)
	r.mu.Unlock()
	if !sick {
		return
	}
	answer := make(<-chan time.Time)
	if account == slowAccount {
		answer = time.After(slowAnswer)
	}
	select {
	case <-answer:
	case <-req.Context().Done():
	}
}

// times waits until the events of all expected messages have arrived, and returns their durations for the messages that
// were sent after a time.
func (r *receiver) times(ctx context.Context, after time.Time) (*result, error) {
	r.mu.Lock()
	want := int64(len(r.begun))
	r.mu.Unlock()
	res := &result{}
	return res, eventually(ctx, "messages whose event has arrived", want, func() (n int64, _ error) {
		r.mu.Lock()
		defer r.mu.Unlock()
		res.times = nil
		for message, begun := range r.begun {
			arrived, ok := r.arrived[message]
			if ok {
				n++
			}
			if ok && begun.After(after) {
				res.times = append(res.times, arrived.Sub(begun))
			}
		}
		return n, nil
	})
}

package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"example.com/griot/internal/db"
)

// sendBench measures sends of programs, and their limits.
type sendBench struct {
	o        *options
	bare     *bareServer
	server   *postgresServer // nil without PostgreSQL
	programs []*program
	profile  string // path of the first program's profile; empty: none

	accounts int
	gateway  string                                                                 // address of the [slowGateway] of all senders; empty: the virtual phones
	endpoint func(account int) string                                               // the account's address in scenarios with webhooks; nil: that of the bare server
	requests int                                                                    // per connection; 0: as many as the time allows
	inspect  func(ctx context.Context, s *scenario, g *griot, accepted int64) error // checks a program after a load
}

// sends measures each scenario. Each round measures the bare insert, the composite limit, and the program, one after
// the other, or the two programs of a comparison.
func (r *report) sends(ctx context.Context) (err error) {
	if !r.wantsSends() {
		return nil
	}
	s := &sendBench{o: r.o, bare: r.bareServer, programs: programs(r.o), accounts: accounts}
	if r.o.postgres != "" {
		if s.server, err = openServer(ctx, r.o.postgres); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, s.server.close(ctx)) }()
	}
	for i, sc := range r.o.allScenarios() {
		if !r.wants(sc.Name) {
			continue
		}
		if r.o.profile != "" {
			s.profile = fmt.Sprintf("%s.%d", r.o.profile, i)
		}
		if err := s.measure(ctx, sc); err != nil {
			return fmt.Errorf("%s: %w", sc.Name, err)
		}
		r.show(sc)
	}
	return nil
}

func (r *report) wantsSends() bool {
	for _, sc := range r.o.allScenarios() {
		if r.wants(sc.Name) {
			return true
		}
	}
	return false
}

func (o *options) allScenarios() []*scenario {
	all := o.scenarios(db.SQLite)
	if o.postgres != "" {
		all = append(all, o.scenarios(db.Postgres)...)
	}
	return all
}

// measure takes a sample of each subject in every round.
func (s *sendBench) measure(ctx context.Context, sc *scenario) error {
	var takes []func(context.Context, *scenario) (*sample, error)
	if s.o.against == "" && !sc.resumes {
		sc.Subjects = []*subject{{Name: bareInsert}, {Name: compositeLimit}}
		takes = append(takes, s.inserts, s.limit)
	}
	for _, p := range s.programs {
		sc.Subjects = append(sc.Subjects, &subject{Name: p.name})
		takes = append(takes, func(ctx context.Context, sc *scenario) (*sample, error) { return s.sample(ctx, sc, p) })
	}
	for range s.o.rounds {
		for i, take := range takes {
			got, err := take(ctx, sc)
			if err != nil {
				return fmt.Errorf("%s: %w", sc.Subjects[i].Name, err)
			}
			sc.Subjects[i].Samples = append(sc.Subjects[i].Samples, got)
		}
		s.profile = "" // only of the first round
	}
	sc.summarize()
	return nil
}

func (s *sendBench) roundTime() time.Duration { return s.o.seconds / time.Duration(s.o.rounds) }

// inserts measures a begin, an insert for each message, and a commit, from this process; on SQLite in group commits.
func (s *sendBench) inserts(ctx context.Context, sc *scenario) (_ *sample, err error) {
	url, drop, err := s.database(ctx, sc.Engine)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, drop()) }()
	d, err := openRows(ctx, url)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	insert := statementsOf(sc.Engine).insert
	before := s.usage(ctx, sc, self())
	res, err := repeat(ctx, sc.Connections, s.roundTime(), func(ctx context.Context) error {
		rows := make([]*row, sc.messages())
		for i := range rows {
			rows[i] = newRow(bareBody)
		}
		return d.Write(ctx, func(tx *db.Tx) error { return insert(tx, rows) })
	})
	if err != nil {
		return nil, err
	}
	return newSample(res, res.all, s.usage(ctx, sc, self()).since(before), self().most()).each(sc.messages()), nil
}

// limit measures the composite limit, which is a separate process.
func (s *sendBench) limit(ctx context.Context, sc *scenario) (_ *sample, err error) {
	url, drop, err := s.database(ctx, sc.Engine)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, drop()) }()
	l, err := startLimit(ctx, url)
	if err != nil {
		return nil, err
	}
	defer l.stop()
	return s.load(ctx, sc, l.child, l.address, []string{"key"}, sc.windows(time.Time{}, s.roundTime()))
}

// sample loads a program with a copy of its prepared database, and checks the stored messages.
func (s *sendBench) sample(ctx context.Context, sc *scenario, p *program) (_ *sample, err error) {
	ready, err := s.prepare(ctx, p, sc)
	if err != nil {
		return nil, err
	}
	g, err := ready.start(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, g.remove(ctx)) }()
	if err := g.setReceipts(ctx, sc.receipts); err != nil {
		g.stop()
		return nil, err
	}
	posts, err := s.bare.posts(ctx)
	if err != nil {
		g.stop()
		return nil, err
	}
	take := s.loaded
	if sc.resumes {
		take = s.resumed
	}
	got, err := take(ctx, sc, g)
	if err == nil {
		posts, err = s.since(ctx, posts)
	}
	if err == nil && s.inspect != nil {
		err = s.inspect(ctx, sc, g.griot, got.Accepted)
	}
	g.stop()
	if err != nil {
		return nil, err
	}
	got.EventsEach = float64(posts) / float64(max(got.Accepted, 1))
	underWay := int64(sc.Connections * sc.messages())
	if s.requests > 0 || sc.resumes {
		underWay = 0
	}
	got.Waiting, err = g.check(ctx, got.Accepted, underWay)
	return got, err
}

func (s *sendBench) since(ctx context.Context, before int64) (int64, error) {
	now, err := s.bare.posts(ctx)
	return now - before, err
}

// loaded loads a program.
func (s *sendBench) loaded(ctx context.Context, sc *scenario, r *running) (*sample, error) {
	windows := sc.windows(r.started, s.roundTime())
	if s.requests > 0 {
		windows = nil
	}
	profiled := r.startProfile(ctx, s.profile, windows)
	defer profiled()
	return s.load(ctx, sc, r.child, host(r.BaseURL), r.of.keys, windows)
}

// load sends a scenario's requests to an address and measures the first window; without windows, everything.
func (s *sendBench) load(ctx context.Context, sc *scenario, c *child, address string, keys []string, windows []window) (*sample, error) {
	l := &loader{
		address: address, conns: sc.Connections, next: sc.plan(keys, s.requests), right: sc.right,
		used: func() usage { return s.usage(ctx, sc, c.process()) },
	}
	results, err := l.run(ctx, windows...)
	if err != nil {
		return nil, err
	}
	got := newSample(results[0], results[0].count, results[0].used, c.most())
	if len(results) > 1 {
		got.OfLater = got.CPU / max(newSample(results[1], results[1].count, results[1].used, 0).CPU, 1e-9)
	}
	return got.each(sc.messages()), nil
}

func (s *sendBench) usage(ctx context.Context, sc *scenario, p process) usage {
	return usage{p.cpu(), s.databaseCPU(ctx, sc)}
}

func (s *sendBench) databaseCPU(ctx context.Context, sc *scenario) time.Duration {
	if sc.Engine != db.Postgres {
		return 0
	}
	return s.server.cpu(ctx)
}

// database creates an empty database.
func (s *sendBench) database(ctx context.Context, engine db.Engine) (url string, drop func() error, err error) {
	if engine == db.Postgres {
		name, err := s.server.create(ctx, "template1")
		return s.server.at(name), func() error { return s.server.drop(ctx, name) }, err
	}
	dir, err := os.MkdirTemp(s.o.dir, "bare-")
	return "sqlite:" + filepath.Join(dir, "bare.db"), func() error { return os.RemoveAll(dir) }, err
}

var errStored = errors.New("what is stored is not what was accepted")

// check compares the messages of a database that is no longer in use with the responses. Each response must be one
// message, and only the requests that were in flight at the end can have stored more. No message may have failed.
// waiting is the number of answered messages that no gateway has.
func check(ctx context.Context, url string, answered, underWay int64) (waiting int64, err error) {
	d, err := db.Open(ctx, url)
	if err != nil {
		return 0, err
	}
	all, err := statuses(ctx, d)
	if err = errors.Join(err, d.Close()); err != nil {
		return 0, err
	}
	stored := int64(0)
	for _, n := range all {
		stored += n
	}
	if all["FAILED"]+all["EXPIRED"] > 0 || stored < answered || stored > answered+underWay {
		return 0, fmt.Errorf("%w: %d answered, and stored are %v", errStored, answered, all)
	}
	return max(0, waitingOf(all)-underWay), nil
}

// statuses returns the number of messages with each status.
func statuses(ctx context.Context, d *db.DB) (map[string]int64, error) {
	all := map[string]int64{}
	return all, d.Read(ctx).Each(func(rows *sql.Rows) error {
		var status string
		var n int64
		err := rows.Scan(&status, &n)
		all[status] = n
		return err
	}, `SELECT status, count(*) FROM messages GROUP BY status`)
}

// waitingOf returns how many messages wait for their gateway or for its answer.
func waitingOf(statuses map[string]int64) int64 { return statuses["QUEUED"] + statuses["SENDING"] }

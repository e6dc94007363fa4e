// Command bench compares Griot with the limits of the machine. Each figure is printed
// with its ratio to a bare counterpart of the same run, because single figures of a
// shared machine are unreliable. docs/performance.md explains the figures.
//
//	go run ./bench                               everything, some 25 minutes
//	go run ./bench -seconds 8 -only "send, sqlite"
//	go run ./bench -only send -against OTHER     this program and another one, in turns
//
// It builds the program, runs `griot dev` with phones in memory, and loads it from this
// process over loopback, so client and server share the cores.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"time"
)

type options struct {
	seconds   time.Duration
	rounds    int
	conns     int   // of everything except sends and batches
	sendConns []int // sends are measured with each of these
	only      string
	dir       string
	backups   string // the directory of the backups; empty: dir
	binary    string
	against   string
	profile   string
	postgres  string
	json      string
	verify    int // requests of each connection; 0: measure
	rows      int // of the campaign
	messages  int // in the database of [report.growth]; 0: it isn't measured
	rate      int // requests per second of [report.growth]
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run measures, or runs one of the servers that bench starts.
func run(ctx context.Context, out io.Writer, args []string) error {
	if len(args) > 0 {
		switch args[0] {
		case serveBareCommand:
			return serveBare(ctx, out)
		case serveLimitCommand:
			return serveLimit(ctx, out, args[1:])
		}
	}
	o, err := parse(args)
	if err != nil {
		return err
	}
	return measure(ctx, out, o)
}

func parse(args []string) (*options, error) {
	o := &options{}
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	seconds := f.Float64("seconds", 4, "seconds that each figure is measured, divided among the rounds; each round warms up first: sends until six seconds after the start of the program, everything else as long as it is measured, two seconds at most")
	f.IntVar(&o.rounds, "rounds", 4, "rounds in which each send is measured in turns with its counterparts, or with the other program")
	conns := f.String("conns", "64,256", "connections: sends are measured with each of these, batches with 1, 4, and 16, everything else with the first")
	f.StringVar(&o.only, "only", "", "measure only figures whose name contains this")
	f.StringVar(&o.dir, "dir", "", "folder in which databases are made, and removed again (default: the one for temporary files)")
	f.StringVar(&o.backups, "backups", "", "folder in which -messages makes backups, and removes them again (default: that of the databases)")
	f.StringVar(&o.binary, "binary", "", "measure this program instead of building one")
	f.StringVar(&o.against, "against", "", "measure sends, batches, queued messages, logins, codes, inbound messages, documents, the assistant, and pages with this program too, in turns with the first and without counterparts, and print the ratios of the two")
	f.StringVar(&o.profile, "profile", "", "write processor profiles of the sends to this path and a number")
	f.StringVar(&o.postgres, "postgres", "", "measure sends on this PostgreSQL server too (postgres://...), whose user may create databases")
	f.IntVar(&o.verify, "verify", 0, "measure nothing, but make so many requests on each connection of the sends, and fail unless each message and each of its events comes once")
	f.IntVar(&o.messages, "messages", 0, "measure sends, logs, the inbox, and statistics in a database of so many messages too, beside one of 10,000")
	f.IntVar(&o.rate, "rate", 2000, "requests a second with -messages, and messages a second of the webhook isolation, there 500 at most")
	f.IntVar(&o.rows, "rows", 100_000, "rows of the campaign")
	f.StringVar(&o.json, "json", "", "write all figures to this file, as JSON")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if f.NArg() > 0 {
		return nil, fmt.Errorf("unknown argument %q", f.Arg(0))
	}
	o.seconds = time.Duration(*seconds * float64(time.Second))
	for text := range strings.SplitSeq(*conns, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("-conns: %q is no number of connections", text)
		}
		o.sendConns = append(o.sendConns, n)
	}
	if o.conns = o.sendConns[0]; o.rounds < 1 || o.rate < 1 {
		return nil, errors.New("-rounds and -rate must be 1 or more")
	}
	if o.rows < 1 || o.rows > campaignMost {
		return nil, fmt.Errorf("-rows must be 1 to %d", campaignMost)
	}
	return o, nil
}

func measure(ctx context.Context, out io.Writer, o *options) (err error) {
	if o.dir, err = os.MkdirTemp(o.dir, "griot-bench-"); err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(o.dir) }()
	if o.binary == "" {
		if o.binary, err = build(ctx, o.dir); err != nil {
			return err
		}
	}
	r := newReport(o, out)
	defer func() { err = errors.Join(err, r.write()) }()
	if o.verify > 0 {
		return r.verify(ctx)
	}
	bare, err := startBare(ctx)
	if err != nil {
		return err
	}
	defer bare.stop()
	r.bareAddress, r.bareServer = bare.address, bare
	if err := r.sends(ctx); err != nil {
		return err
	}
	if o.against != "" {
		return r.against(ctx)
	}
	for _, f := range []func(context.Context) error{r.backups, r.isolation, r.batchIsolation, r.campaign, r.growth, r.bare, r.webhooks} {
		if err := f(ctx); err != nil {
			return err
		}
	}
	return r.dev(ctx)
}

// dev measures the responses of a `griot dev` with its demo data.
func (r *report) dev(ctx context.Context) error {
	g, err := startGriot(ctx, nil, r.o.binary, r.o.dir+"/data")
	if err != nil {
		return err
	}
	defer g.stop()
	r.line("start-up", fmt.Sprintf("%d ms", g.ready.Milliseconds()), "", "< 300 ms until every listener answers")
	r.line("binary", fmt.Sprintf("%.1f MB", float64(g.size)/1e6), "", "< 40 MB")
	time.Sleep(settleTime)
	r.line("idle memory", fmt.Sprintf("%.0f MB", g.own()), "", fmt.Sprintf("RssAnon, < 20 MB; the resident set, with the binary's pages, is %.0f MB", g.memory()))
	for _, f := range []func(context.Context, *griot) error{r.status, r.documents, r.token, r.codes, r.waiting, r.assistant, r.inboxGrowth, r.pages} {
		if err := f(ctx, g); err != nil {
			return err
		}
	}
	r.line("memory after it all", fmt.Sprintf("%.0f MB", g.memory()), "", "no target")
	return nil
}

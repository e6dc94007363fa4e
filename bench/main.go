// Command bench measures Griot against what the machine can do: each figure is
// printed with its ratio to a bare counterpart of the same run, because single
// figures of a shared machine say little.
//
//	go run ./bench            everything, about a minute
//	go run ./bench -seconds 8 -only send
//
// It builds the program, runs `griot dev` with phones in memory, and loads it
// from this process over loopback: client and server share the cores.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"time"
)

type options struct {
	seconds time.Duration
	conns   int
	only    string
	dir     string
	binary  string
	profile string

	postgres string
}

func main() {
	var o options
	bare := flag.Bool("bare", false, "be the bare HTTP server (bench starts itself so)")
	seconds := flag.Float64("seconds", 4, "seconds that each figure is measured, after one of warming up")
	flag.IntVar(&o.conns, "conns", 64, "connections")
	flag.StringVar(&o.only, "only", "", "measure only figures whose name contains this")
	flag.StringVar(&o.dir, "dir", "", "folder for databases (default: a temporary one)")
	flag.StringVar(&o.binary, "binary", "", "measure this program instead of building one, to compare two")
	flag.StringVar(&o.profile, "profile", "", "write processor profiles of the send figures to this path and a number")
	flag.StringVar(&o.postgres, "postgres", "", "measure sends on this empty PostgreSQL database too (postgres://...)")
	flag.Parse()
	o.seconds = time.Duration(*seconds * float64(time.Second))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	run := measure
	if *bare {
		run = serveBare
	}
	if err := run(ctx, &o); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func measure(ctx context.Context, o *options) error {
	if o.dir == "" {
		dir, err := os.MkdirTemp("", "griot-bench-")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(dir) }()
		o.dir = dir
	}
	r := newReport(o)
	bare, err := startBare(ctx)
	if err != nil {
		return err
	}
	defer bare.stop()
	r.bareAddress, r.bareServer = bare.address, bare
	if err := r.bare(ctx); err != nil {
		return err
	}
	if err := r.postgres(ctx); err != nil {
		return err
	}
	if err := r.webhooks(ctx); err != nil {
		return err
	}
	g, err := startGriot(ctx, o)
	if err != nil {
		return err
	}
	defer g.stop()
	r.line("start-up", fmt.Sprintf("%d ms", g.ready.Milliseconds()), "", "< 300 ms until every listener answers")
	r.line("binary", fmt.Sprintf("%.1f MB", float64(g.size)/1e6), "", "< 40 MB")
	r.line("idle memory", fmt.Sprintf("%.0f MB", g.memory()), "", "< 40 MB")
	for _, f := range []func(context.Context, *griot) error{r.send, r.status, r.documents, r.token, r.codes, r.waiting, r.assistant, r.inboxGrowth} {
		if err := f(ctx, g); err != nil {
			return err
		}
	}
	r.line("memory after it all", fmt.Sprintf("%.0f MB", g.memory()), "", "< 80 MB under send load")
	return nil
}

// report prints the figures and keeps those that others are compared with.
type report struct {
	o           *options
	bareAddress string
	bareServer  *bareServer
	signs       float64
}

func newReport(o *options) *report {
	fmt.Printf("%-34s %14s %10s   %s\n%s\n", "figure", "measured", "ratio", "target", strings.Repeat("-", 100))
	return &report{o: o}
}

func (r *report) line(name, value, ratio, target string) {
	fmt.Printf("%-34s %14s %10s   %s\n", name, value, ratio, target)
}

func (r *report) wants(name string) bool { return strings.Contains(name, r.o.only) }

func (r *report) rate(name string, res *result, base float64, target string) {
	ratio := ""
	if base > 0 {
		ratio = fmt.Sprintf("%.2f", res.rate()/base)
	}
	r.line(name, fmt.Sprintf("%.0f/s", res.rate()), ratio, target+fmt.Sprintf("  [p50 %s p99 %s]", ms(res.p(0.5)), ms(res.p(0.99))))
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000) }

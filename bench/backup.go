package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"example.com/griot/internal/db"
)

// backupFigure is the name of the figure of backups.
const backupFigure = "send, sqlite, while backups are made"

// backups measures plain sends while backups are made one after the other, and compares them with sends without
// backups. Each backup must contain every message that was in the database at its start, which includes all
// acknowledged ones.
func (r *report) backups(ctx context.Context) (err error) {
	if !r.wants(backupFigure) {
		return nil
	}
	s := &sendBench{o: r.o, bare: r.bareServer, accounts: accounts}
	sc := &scenario{Engine: db.SQLite, Connections: r.o.conns}
	ready, err := s.prepare(ctx, &program{path: r.o.binary}, sc)
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
	alone, during := &result{}, &result{}
	taken := &backupSeries{program: r.o.binary, folder: g.folder}
	for range r.o.rounds {
		for _, of := range []*result{alone, during} {
			end := func() error { return nil }
			if of == during {
				end = taken.start(ctx)
			}
			got, err := load(ctx, host(g.BaseURL), sc.Connections, s.roundTime(), sc.plan(ready.keys, 0))
			if err = errors.Join(err, end()); err != nil {
				return err
			}
			of.add(got)
		}
	}
	r.line(backupFigure, fmt.Sprintf("%.0f/s", during.rate()), fmt.Sprintf("%.2f", during.rate()/alone.rate()),
		fmt.Sprintf("of the same without, ≥ 1,000/s  [p99 %s, without %s; slowest %s, without %s; %d backups of up to %.0f MB, the longest %s]",
			ms(during.p(p99)), ms(alone.p(p99)), ms(during.p(1)), ms(alone.p(1)), taken.count, float64(taken.size)/1e6, ms(taken.longest)))
	return nil
}

const p99 = 0.99

// backupSeries makes one backup after the other of the deployment in a directory.
type backupSeries struct {
	program, folder string
	count           int
	size            int64
	longest         time.Duration
}

// start starts the series. end stops it after the current backup, and returns the first error.
func (b *backupSeries) start(ctx context.Context) (end func() error) {
	return series(ctx, func() error { return b.one(ctx) })
}

// series calls do repeatedly until ctx ends. end stops it after the current call, and returns the first error.
func series(ctx context.Context, do func() error) (end func() error) {
	stop, done := make(chan struct{}), make(chan error, 1)
	go func() {
		for ctx.Err() == nil {
			select {
			case <-stop:
				done <- nil
				return
			default:
			}
			if err := do(); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	return sync.OnceValue(func() error {
		close(stop)
		return <-done
	})
}

// one makes a backup, checks it, and removes it.
func (b *backupSeries) one(ctx context.Context) (err error) {
	to := filepath.Join(filepath.Dir(b.folder), "backup")
	defer func() { err = errors.Join(err, os.RemoveAll(to)) }()
	before, err := countMessages(ctx, "sqlite:"+filepath.Join(b.folder, "griot.db"))
	if err != nil {
		return err
	}
	if err := b.take(ctx, to); err != nil {
		return err
	}
	has, err := countMessages(ctx, "sqlite:"+filepath.Join(to, "griot.db"))
	if err == nil && has < before {
		err = fmt.Errorf("%w: a backup has %d messages, and there were %d when it began", errStored, has, before)
	}
	return err
}

// take makes a backup.
func (b *backupSeries) take(ctx context.Context, to string) error {
	begun := time.Now()
	if out, err := exec.CommandContext(ctx, b.program, "backup", to, "--data", b.folder).CombinedOutput(); err != nil { //nolint:gosec // the program under test
		return fmt.Errorf("griot backup: %w\n%s", err, out)
	}
	b.count, b.longest = b.count+1, max(b.longest, time.Since(begun))
	info, err := os.Stat(filepath.Join(to, "griot.db"))
	if err == nil {
		b.size = max(b.size, info.Size())
	}
	return err
}

// countMessages counts the messages in a database, even if another process has it open.
func countMessages(ctx context.Context, url string) (n int64, err error) {
	d, err := db.Inspect(ctx, url)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	_, err = d.Read(ctx).Row(`SELECT count(*) FROM messages`).Scan(&n)
	return n, err
}

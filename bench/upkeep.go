package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

// upkeep is the repeated work of an operator on a deployment: backups and, on PostgreSQL, VACUUM.
type upkeep struct {
	site    *pagesSite
	folder  string // of the backups
	backups backupSeries
	dumps   int // started ones, like vacuums
	vacuums int
}

func newUpkeep(s *pagesSite, folder string) *upkeep {
	return &upkeep{site: s, folder: folder, backups: backupSeries{program: s.binary, folder: s.dir}}
}

// start starts the work. end waits for the current backup, removes the backups, cancels a dump and a vacuum, and
// returns the first errors. The backups stay until then, because commits wait while the disk frees the space of a large
// file.
func (u *upkeep) start(ctx context.Context) (end func() error) {
	if u.site.url == "" {
		kept := filepath.Join(u.folder, "griot-bench-backups")
		taken := series(ctx, func() error {
			return errors.Join(os.MkdirAll(kept, 0o700), u.backups.take(ctx, filepath.Join(kept, strconv.Itoa(u.backups.count))))
		})
		return func() error { return errors.Join(taken(), os.RemoveAll(kept)) }
	}
	ctx, cancel := context.WithCancel(ctx)
	dumps, vacuums := series(ctx, func() error { return u.dump(ctx) }), series(ctx, func() error { return u.vacuum(ctx) })
	return func() error {
		cancel()
		return errors.Join(dumps(), vacuums())
	}
}

// dump copies the database as docs/operating/backup.md describes, and discards the copy.
func (u *upkeep) dump(ctx context.Context) error {
	u.dumps++
	dump := exec.CommandContext(ctx, "pg_dump", "--format=custom", "--dbname="+u.site.url) //nolint:gosec // a database that bench has made
	dump.Stderr = os.Stderr
	if err := dump.Run(); err != nil && ctx.Err() == nil {
		return fmt.Errorf("pg_dump: %w", err)
	}
	return nil
}

func (u *upkeep) vacuum(ctx context.Context) error {
	u.vacuums++
	if err := vacuum(ctx, u.site.url); ctx.Err() == nil {
		return err
	}
	return nil
}

// vacuum does the work of PostgreSQL's autovacuum for changed tables.
func vacuum(ctx context.Context, url string) error { return alone(ctx, url, `VACUUM (ANALYZE)`) }

// checkpoint writes all pending pages to the disk, so that no load waits for it.
func checkpoint(ctx context.Context, url string) error { return alone(ctx, url, `CHECKPOINT`) }

// alone executes a statement outside of a transaction.
func alone(ctx context.Context, url, statement string) (err error) {
	conn, err := sql.Open("pgx", url)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	_, err = conn.ExecContext(ctx, statement)
	return err
}

func (u *upkeep) String() string {
	if u.site.url != "" {
		return fmt.Sprintf("%d dumps and %d vacuums begun", u.dumps, u.vacuums)
	}
	return fmt.Sprintf("%d backups, the longest %s", u.backups.count, ms(u.backups.longest))
}

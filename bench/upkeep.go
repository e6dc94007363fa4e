package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// upkeep is the work of an operator on a deployment, again and again: backups, and on PostgreSQL VACUUM too.
type upkeep struct {
	site    *pagesSite
	folder  string // of the backups
	backups backupSeries
	vacuums int
	longest time.Duration // of the vacuums
}

func newUpkeep(s *pagesSite, folder string) *upkeep {
	return &upkeep{site: s, folder: folder, backups: backupSeries{program: s.binary, folder: s.dir}}
}

// start begins the work. end waits for the work under way, and returns the first errors.
func (u *upkeep) start(ctx context.Context) (end func() error) {
	if u.site.url == "" {
		return series(func() error {
			to := filepath.Join(u.folder, "griot-bench-backup")
			return errors.Join(u.backups.take(ctx, to), os.RemoveAll(to))
		})
	}
	dumps, vacuums := series(func() error { return u.dump(ctx) }), series(func() error { return u.vacuum(ctx) })
	return func() error { return errors.Join(dumps(), vacuums()) }
}

// dump copies the database as docs/operating/backup.md says, and keeps nothing.
func (u *upkeep) dump(ctx context.Context) error {
	begun := time.Now()
	dump := exec.CommandContext(ctx, "pg_dump", "--format=custom", "--dbname="+u.site.url) //nolint:gosec // a database that bench has made
	dump.Stderr = os.Stderr
	if err := dump.Run(); err != nil {
		return fmt.Errorf("pg_dump: %w", err)
	}
	u.backups.count, u.backups.longest = u.backups.count+1, max(u.backups.longest, time.Since(begun))
	return nil
}

func (u *upkeep) vacuum(ctx context.Context) error {
	begun := time.Now()
	err := vacuum(ctx, u.site.url)
	u.vacuums, u.longest = u.vacuums+1, max(u.longest, time.Since(begun))
	return err
}

// vacuum does what PostgreSQL's own vacuum does to tables that have changed.
func vacuum(ctx context.Context, url string) (err error) {
	conn, err := sql.Open("pgx", url)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	_, err = conn.ExecContext(ctx, `VACUUM (ANALYZE)`)
	return err
}

func (u *upkeep) String() string {
	text := fmt.Sprintf("%d backups, the longest %s", u.backups.count, ms(u.backups.longest))
	if u.site.url != "" {
		text += fmt.Sprintf("; %d vacuums, the longest %s", u.vacuums, ms(u.longest))
	}
	return text
}

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/griot/internal/db/dbtest"
)

// saved is how a database is backed up under load and restored: by griot, or by PostgreSQL's own tools.
type saved struct {
	database func(t *testing.T) string
	begin    func(t *testing.T, s *server) // before the moment that is restored
	take     func(t *testing.T, s *server) // what is in the database now
	end      func(t *testing.T)            // after it, while the server still runs
	restore  func(t *testing.T, s *server) (database string)
}

// savings are what the suite looks at, and the recovery to a point in time, which takes longer, in the long one.
func savings() map[string]func(t *testing.T) saved {
	all := map[string]func(t *testing.T) saved{"sqlite": savedByGriot, "postgres": savedByDump}
	if long() {
		all["postgres to a point in time"] = savedByLog
	}
	return all
}

// long reports whether make test-long runs.
func long() bool { return os.Getenv("GRIOT_TEST_LONG") != "" }

// onlyLong skips a test in make test. The test's comment names the quicker test that fails for the same rule.
func onlyLong(t *testing.T) {
	t.Helper()
	if !long() {
		t.Skip("make test-long runs it")
	}
}

func savedByGriot(t *testing.T) saved {
	backup := filepath.Join(t.TempDir(), "backup")
	return saved{
		database: func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "griot.db") },
		begin: func(t *testing.T, s *server) {
			for range 20 { // one that was killed leaves no backup, and nothing in the way of the next
				if s.cutOff(t, "", backup+".partial", "backup", backup) {
					break
				}
				must(t, os.RemoveAll(backup))
			}
			if _, err := os.Stat(backup); err == nil {
				t.Error("a backup that was killed is there")
			}
		},
		take: func(t *testing.T, s *server) { s.must(t, "", "backup", backup) },
		end:  func(*testing.T) {},
		restore: func(t *testing.T, s *server) string {
			s.must(t, "", "backup", "verify", backup)
			if out, err := s.griot(t, "", "restore", backup); err == nil {
				t.Errorf("restored over a database: %s", out)
			}
			path := filepath.Join(t.TempDir(), "restored", "griot.db")
			database := "sqlite:" + path
			for range 20 { // all or nothing
				if s.cutOff(t, database, path+".restoring", "restore", backup) {
					break
				}
				must(t, os.Remove(path))
			}
			if _, err := os.Stat(path); err == nil {
				t.Error("a restore that was killed has left a database")
			}
			t.Log(s.must(t, database, "restore", backup))
			return database
		},
	}
}

func savedByDump(t *testing.T) saved {
	url, dump := dbtest.PostgresURL(t), filepath.Join(t.TempDir(), "griot.dump")
	return saved{
		database: func(*testing.T) string { return url },
		begin:    func(*testing.T, *server) {},
		take:     func(t *testing.T, _ *server) { dbtest.Copy(t, url, dump) },
		end:      func(*testing.T) {},
		restore:  func(t *testing.T, s *server) string { return s.marked(t, dbtest.Restored(t, dump)) },
	}
}

// marked runs griot restore --mark, and returns the database.
func (s *server) marked(t *testing.T, database string) string {
	t.Helper()
	t.Log(s.must(t, database, "restore", "--mark"))
	return database
}

// savedByLog restores a base backup and the write-ahead log behind it, by the commands of docs/operating/backup.md.
func savedByLog(t *testing.T) saved {
	live, restored, m := dbtest.PrepareServer(t), dbtest.PrepareServer(t), &manual{t: t}
	m.put("/var/lib/postgresql/restored", filepath.Join(restored.Dir, "data"))
	for _, name := range []string{"archive", "backups"} {
		m.put("/"+name, filepath.Join(live.Dir, name))
	}
	live.Shell("mkdir archive backups")
	settings := []string{"max_wal_senders=4", "full_page_writes=on"} // as they are unless a server is for tests
	for _, name := range []string{"wal_level", "archive_mode", "archive_command", "archive_timeout"} {
		settings = append(settings, strings.ReplaceAll(strings.Replace(m.line("backup.md", name+" = "), " = ", "=", 1), "'", ""))
	}
	live.Settings, restored.Settings = settings, settings
	live.Start()
	run := func(on *dbtest.Server, begins string) string {
		return strings.TrimSpace(on.Shell(m.line("backup.md", begins), "GRIOT_DATABASE="+on.URL))
	}
	query := func(on *dbtest.Server, text string) string {
		return strings.TrimSpace(on.Shell(`psql "$GRIOT_DATABASE" -Atc "`+text+`"`, "GRIOT_DATABASE="+on.URL))
	}
	return saved{
		database: func(*testing.T) string { return live.URL },
		begin:    func(*testing.T, *server) { run(live, "pg_basebackup") },
		take:     func(*testing.T, *server) { m.put("2026-03-04 12:00:00+00", query(live, "SELECT clock_timestamp()")) },
		end: func(t *testing.T) {
			last := query(live, "SELECT pg_walfile_name(pg_current_wal_lsn())")
			run(live, `psql "$GRIOT_DATABASE" -c`)
			eventually(t, 20*time.Second, func() error {
				if got := query(live, "SELECT coalesce(last_archived_wal, '') FROM pg_stat_archiver"); got < last {
					return fmt.Errorf("%w: %q is archived, want %q", errNotYet, got, last)
				}
				return nil
			})
			live.Stop()
		},
		restore: func(t *testing.T, s *server) string {
			for _, begins := range []string{"cp -R", "printf", "touch"} {
				run(restored, begins)
			}
			restored.Start()
			eventually(t, 20*time.Second, func() error {
				if got := run(restored, `psql "$GRIOT_DATABASE" -Atc`); got != "f" {
					return fmt.Errorf("%w: in recovery: %s", errNotYet, got)
				}
				return nil
			})
			return s.marked(t, restored.URL)
		},
	}
}

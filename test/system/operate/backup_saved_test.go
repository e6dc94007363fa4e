package operate_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/waittest"
	"example.com/griot/test/system/systemtest"
)

// saved is a way to back up a database under load and restore it: with griot, or with PostgreSQL's own tools.
type saved struct {
	database func(t *testing.T) string
	begin    func(t *testing.T, s *systemtest.Server) // before the restored moment
	take     func(t *testing.T, s *systemtest.Server) // what is in the database now
	end      func(t *testing.T)                       // after it, while the server still runs
	restore  func(t *testing.T, s *systemtest.Server) (database string)
}

// savings returns the ways that the suite tests, and in the long one the point-in-time recovery, which takes longer.
func savings() map[string]func(t *testing.T) saved {
	all := map[string]func(t *testing.T) saved{"sqlite": savedByGriot, "postgres": savedByDump}
	if systemtest.IsLong() {
		all["postgres to a point in time"] = savedByLog
	}
	return all
}

func savedByGriot(t *testing.T) saved {
	backup := filepath.Join(t.TempDir(), "backup")
	return saved{
		database: func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "griot.db") },
		begin: func(t *testing.T, s *systemtest.Server) {
			for range 20 { // a killed one leaves no backup, and doesn't block the next
				if cutOff(s, t, "", backup+".partial", "backup", backup) {
					break
				}
				systemtest.Must(t, os.RemoveAll(backup))
			}
			if _, err := os.Stat(backup); err == nil {
				t.Error("a backup that was killed is there")
			}
		},
		take: func(t *testing.T, s *systemtest.Server) { s.Must(t, "", "backup", backup) },
		end:  func(*testing.T) {},
		restore: func(t *testing.T, s *systemtest.Server) string {
			s.Must(t, "", "backup", "verify", backup)
			if out, err := s.Griot(t, "", "restore", backup); err == nil {
				t.Errorf("restored over a database: %s", out)
			}
			path := filepath.Join(t.TempDir(), "restored", "griot.db")
			database := "sqlite:" + path
			for range 20 { // all or nothing
				if cutOff(s, t, database, path+".restoring", "restore", backup) {
					break
				}
				systemtest.Must(t, os.Remove(path))
			}
			if _, err := os.Stat(path); err == nil {
				t.Error("a restore that was killed has left a database")
			}
			t.Log(s.Must(t, database, "restore", backup))
			return database
		},
	}
}

func savedByDump(t *testing.T) saved {
	url, dump := dbtest.PostgresURL(t), filepath.Join(t.TempDir(), "griot.dump")
	return saved{
		database: func(*testing.T) string { return url },
		begin:    func(*testing.T, *systemtest.Server) {},
		take:     func(t *testing.T, _ *systemtest.Server) { dbtest.Copy(t, url, dump) },
		end:      func(*testing.T) {},
		restore:  func(t *testing.T, s *systemtest.Server) string { return marked(s, t, dbtest.Restored(t, dump)) },
	}
}

// marked runs griot restore --mark, and returns the database.
func marked(s *systemtest.Server, t *testing.T, database string) string {
	t.Helper()
	t.Log(s.Must(t, database, "restore", "--mark"))
	return database
}

// savedByLog restores a base backup and its write-ahead log with the commands of docs/operating/backup.md.
func savedByLog(t *testing.T) saved {
	live, restored, m := dbtest.PrepareServer(t), dbtest.PrepareServer(t), &manual{t: t}
	m.put("/var/lib/postgresql/restored", filepath.Join(restored.Dir, "data"))
	for _, name := range []string{"archive", "backups"} {
		m.put("/"+name, filepath.Join(live.Dir, name))
	}
	live.Shell("mkdir archive backups")
	settings := []string{"max_wal_senders=4", "full_page_writes=on"} // the defaults, unless a server is for tests
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
		begin:    func(*testing.T, *systemtest.Server) { run(live, "pg_basebackup") },
		take: func(*testing.T, *systemtest.Server) {
			m.put("2026-03-04 12:00:00+00", query(live, "SELECT clock_timestamp()"))
		},
		end: func(t *testing.T) {
			last := query(live, "SELECT pg_walfile_name(pg_current_wal_lsn())")
			run(live, `psql "$GRIOT_DATABASE" -c`)
			waittest.Until(t, func() error {
				if got := query(live, "SELECT coalesce(last_archived_wal, '') FROM pg_stat_archiver"); got < last {
					return fmt.Errorf("%w: %q is archived, want %q", systemtest.ErrNotYet, got, last)
				}
				return nil
			})
			live.Stop()
		},
		restore: func(t *testing.T, s *systemtest.Server) string {
			for _, begins := range []string{"cp -R", "printf", "touch"} {
				run(restored, begins)
			}
			restored.Start()
			waittest.Until(t, func() error {
				if got := run(restored, `psql "$GRIOT_DATABASE" -Atc`); got != "f" {
					return fmt.Errorf("%w: in recovery: %s", systemtest.ErrNotYet, got)
				}
				return nil
			})
			return marked(s, t, restored.URL)
		},
	}
}

package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
)

// Database checks a deployment's database, even if another process has it open.
type Database struct {
	URL   string
	DB    *db.DB // of [db.Inspect]; nil: it could not be opened
	Err   error  // the reason
	Now   clock.Now
	Serve func(ctx context.Context) bool // reports whether the deployment's server responds
	NoKey bool                           // without the master key, Serve doesn't recognize the server
	// GatewayAhead returns the difference between the gateways' clocks and ours; false if no gateway reports it.
	GatewayAhead func(ctx context.Context) (time.Duration, bool)
}

// The limits of free space, in bytes. Below one the database stops soon, and below the other the operator should free
// space.
const (
	diskFull = 64 << 20
	diskLow  = 2 << 30
)

// ClockOff is the difference from which a clock is wrong, and clockDrift the one from which it will be.
const (
	ClockOff   = 30 * time.Second
	clockDrift = 5 * time.Second
)

// lockWait is the time that a writer of SQLite can wait for the lock.
const lockWait = 4 * time.Second

func (d *Database) path() (path string, lite bool) { return strings.CutPrefix(d.URL, "sqlite:") }

// absent reports whether the SQLite file doesn't exist yet.
func (d *Database) absent() bool { return errors.Is(d.Err, fs.ErrNotExist) }

var notReachable = Bad(Unknown, "", "the database can't be read")

// Checks returns the checks of the database.
func (d *Database) Checks() []Check {
	return []Check{
		{"database", "The database responds and can be read.", d.reach},
		{"schema", "The database's schema is that of this program. If it is older, `griot serve` and `griot migrate` bring it up to date. A newer schema, or one of 0.1.0, is refused.", d.schema},
		{"durability", "Acknowledged writes survive a crash. PostgreSQL: version 15 or later with `fsync`, `full_page_writes`, and `synchronous_commit`, and not a standby. SQLite: a write-ahead log; `synchronous` is FULL on every connection that Griot writes with.", d.durability},
		{"disk", "SQLite: the disk of the file has at least 2 GiB free (less than 64 MiB: failed). PostgreSQL: not checked, because it has its own disk.", d.disk},
		{"lock", "No other program prevents Griot from writing. SQLite: no other process holds SQLite's lock or the file `….lock`. PostgreSQL: no statement waits for a lock.", d.lock},
		{"clock", "This machine's clock differs by at most 5 seconds (more than 30: failed) from PostgreSQL's clock, or on SQLite from the median clock of the gateways that respond over HTTP.", d.clock},
	}
}

func (d *Database) reach(ctx context.Context) []Finding {
	if d.absent() {
		return []Finding{Bad(Warning, "start griot serve, which creates it, or correct the setting database", "there is no database yet")}
	}
	if errors.Is(d.Err, fs.ErrPermission) { // of the doctor; the check of the permissions explains it
		return []Finding{Bad(Unknown, ownAccess, "this user can't open the database")}
	}
	if wrong, ok := errors.AsType[*db.EncodingError](d.Err); ok {
		return []Finding{Bad(Failed, "create another database with CREATE DATABASE griot TEMPLATE template0 ENCODING 'UTF8', and set its URL", "the database has the encoding %s, and Griot needs UTF8", wrong.Encoding)}
	}
	if d.Err != nil {
		return []Finding{Bad(Failed, "start the database, or correct the setting database", "the database can't be opened: %s", cause(d.Err))}
	}
	s, err := d.DB.State(ctx, d.Now)
	if err != nil {
		return []Finding{Bad(Failed, "run griot migrate to create the tables, or correct the setting database", "the database can't be read: %s", cause(err))}
	}
	return []Finding{Good("%s %s, %s", s.Engine, s.Version, size(s.Size+s.Log))}
}

func (d *Database) schema(ctx context.Context) []Finding {
	if d.DB == nil {
		return d.none()
	}
	has, needs, err := d.DB.Schema(ctx)
	if err == nil {
		refused, ok := errors.AsType[*db.SchemaError](d.DB.CheckSchema(ctx))
		if ok && !refused.Newer {
			return []Finding{Bad(Failed, "see docs/operating/upgrade.md for the versions that can migrate this schema", "version %d: %s", has, strings.TrimPrefix(refused.Error(), "db: "))}
		}
	}
	switch {
	case err != nil:
		return []Finding{Bad(Unknown, "run griot migrate to create the tables", "the schema's version can't be read")}
	case has > needs:
		return []Finding{Bad(Failed, "start the newer Griot, or restore a backup from before the upgrade; to go back by one release, run griot serve --newer-schema",
			"the schema has version %d, but this program supports versions up to %d: a newer Griot has migrated it", has, needs)}
	case has < needs && d.Serve(ctx):
		return []Finding{Bad(Failed, "restart griot serve, which migrates it", "the schema has version %d, but this program needs version %d", has, needs)}
	case has < needs:
		return []Finding{Bad(Warning, "create a backup, and then start griot serve, which migrates it", "the schema has version %d, but this program needs version %d", has, needs)}
	}
	return []Finding{Good("version %d", has)}
}

// none returns the findings of checks that need a database, without one.
func (d *Database) none() []Finding {
	if d.absent() {
		return nil
	}
	return []Finding{notReachable}
}

func (d *Database) durability(ctx context.Context) []Finding {
	if d.DB == nil {
		return d.none()
	}
	problems, err := d.DB.Durability(ctx)
	if err != nil {
		return []Finding{notReachable}
	}
	var out []Finding
	for _, p := range problems {
		out = append(out, Bad(Failed, "set it, because acknowledged data might be lost in a crash", "the value is %s, but it should be %s", p.Value, p.Want).About(p.Setting))
	}
	if len(out) > 0 {
		return out
	}
	if d.DB.Engine() == db.SQLite {
		return []Finding{Good("journal_mode is WAL, and griot serve sets synchronous to FULL")}
	}
	return []Finding{Good("fsync, full_page_writes, and synchronous_commit are on")}
}

func (d *Database) disk(context.Context) []Finding {
	if _, lite := d.path(); !lite {
		return nil
	}
	free, known := db.FreeDisk(d.URL)
	const hint = "free disk space, or move the database to a larger disk; a shorter retention frees space in the file"
	switch {
	case !known:
		return []Finding{Bad(Unknown, "", "the free space of the database's directory is unknown")}
	case free < diskFull:
		return []Finding{Bad(Failed, hint, "%s free: the disk is full or almost full", size(free))}
	case free < diskLow:
		return []Finding{Bad(Warning, hint, "%s free", size(free))}
	}
	return []Finding{Good("%s free", size(free))}
}

func (d *Database) lock(ctx context.Context) []Finding {
	path, lite := d.path()
	if d.DB == nil && (lite || d.Err != nil) {
		return d.none()
	}
	if !lite {
		n, _, err := d.DB.LockWaiters(ctx)
		switch {
		case err != nil:
			return []Finding{notReachable}
		case n > 0:
			return []Finding{Bad(Failed, "find the blocking transaction with pg_blocking_pids(), and end it", "%d statements have waited for a lock for more than a second", n)}
		}
		return []Finding{Good("no statement waits for a lock")}
	}
	served := d.Serve(ctx)
	if _, err := os.Stat(path + ".lock"); err == nil && !served {
		l, err := db.LockFile(path + ".lock")
		if errors.Is(err, db.ErrInUse) && d.NoKey {
			return []Finding{Bad(Unknown, "", "a process has the database open, but only the deployment's master key can show whether it is the server")}
		}
		if errors.Is(err, db.ErrInUse) {
			return []Finding{Bad(Failed, "end that process (find it with fuser "+path+".lock), or correct internal.listen",
				"another process has the database open, but it doesn't respond as this deployment's server")}
		}
		if err != nil || l.Release() != nil {
			return []Finding{Bad(Unknown, "", "the lock can't be checked: %s", cause(err))}
		}
	}
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	switch err := db.CheckLock(ctx, d.URL); {
	case errors.Is(err, db.ErrLocked):
		return []Finding{Bad(Failed, "end that program or its transaction (find it with fuser "+path+"), because only Griot can write to the file",
			"another program holds SQLite's lock, so Griot can't store anything")}
	case err != nil:
		return []Finding{Bad(Failed, "", "a write can't start: %s", cause(err))}
	case served:
		return []Finding{Good("the server has the database, and writes succeed")}
	}
	return []Finding{Good("no program holds it")}
}

func (d *Database) clock(ctx context.Context) []Finding {
	ahead, from := time.Duration(0), "the database's clock"
	if _, lite := d.path(); !lite {
		if d.DB == nil {
			return []Finding{notReachable}
		}
		s, err := d.DB.State(ctx, d.Now)
		if err != nil {
			return []Finding{notReachable}
		}
		ahead = s.Ahead
	} else {
		known := false
		if ahead, known = d.GatewayAhead(ctx); !known {
			return []Finding{Bad(Unknown, "check the clock with timedatectl", "there is no other clock to compare with, because no gateway reports its time")}
		}
		from = "the gateways' clock"
	}
	const hint = "start a time service on both machines (chrony, systemd-timesyncd)"
	off := ahead.Abs().Round(time.Millisecond)
	side := map[bool]string{true: "behind", false: "ahead of"}[ahead > 0]
	switch {
	case off > ClockOff:
		return []Finding{Bad(Failed, hint, "this machine's clock is %s %s %s", off, side, from)}
	case off > clockDrift:
		return []Finding{Bad(Warning, hint, "this machine's clock is %s %s %s", off, side, from)}
	}
	return []Finding{Good("this machine's clock agrees with %s within %s", from, max(off, time.Second).Round(time.Second))}
}

// size returns a number of bytes in a readable format.
func size(n int64) string {
	units := []string{"bytes", "KiB", "MiB", "GiB", "TiB"}
	v, i := float64(n), 0
	for ; v >= 1024 && i < len(units)-1; i++ {
		v /= 1024
	}
	if i == 0 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%.1f %s", v, units[i])
}

package db

import (
	"context"
	"fmt"
	"strconv"
)

// oldestPostgres is the first version of PostgreSQL that this program is made for.
const oldestPostgres = 15

// DurabilityProblem is a setting of a database by which what was answered may be lost.
type DurabilityProblem struct {
	Setting, Value, Want string
}

// Durability returns what is wrong with the settings by which a database keeps what it has committed. SQLite's synchronous is
// not among them: each connection of [Open] sets it.
func (d *DB) Durability(ctx context.Context) ([]DurabilityProblem, error) {
	var problems []DurabilityProblem
	want := func(setting, value, want string, ok bool) {
		if !ok {
			problems = append(problems, DurabilityProblem{setting, value, want})
		}
	}
	if d.engine == SQLite {
		var mode string
		_, err := d.Read(ctx).Row(`PRAGMA journal_mode`).Scan(&mode)
		want("journal_mode", mode, "wal", mode == "wal")
		return problems, err
	}
	var number, fsync, commit, pages string
	var standby bool
	_, err := d.Read(ctx).Row(`SELECT current_setting('server_version_num'), current_setting('fsync'), current_setting('synchronous_commit'), current_setting('full_page_writes'), pg_is_in_recovery()`).
		Scan(&number, &fsync, &commit, &pages, &standby)
	if err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(number)
	if err != nil {
		return nil, fmt.Errorf("db: server_version_num: %w", err)
	}
	want("version", strconv.Itoa(n/10000), strconv.Itoa(oldestPostgres)+" or later", n/10000 >= oldestPostgres)
	want("fsync", fsync, "on", fsync == "on")
	want("synchronous_commit", commit, "on", commit != "off")
	want("full_page_writes", pages, "on", pages == "on")
	want("pg_is_in_recovery", "true", "false: this is a standby", !standby)
	return problems, nil
}

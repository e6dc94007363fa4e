package db

import (
	"context"
	"fmt"
	"strconv"
)

// oldestPostgres is the oldest supported version of PostgreSQL.
const oldestPostgres = 15

// DurabilityProblem is a setting of a database that can cause the loss of acknowledged data.
type DurabilityProblem struct {
	Setting, Value, Want string
}

// Durability returns the problems with the settings that make committed data durable. It doesn't check SQLite's
// synchronous, because each connection of [Open] sets it.
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

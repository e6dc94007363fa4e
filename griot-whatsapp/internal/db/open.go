package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"modernc.org/sqlite"

	"example.com/griot/griot-whatsapp/internal/seal"
)

// DB is an open database.
type DB struct {
	*sql.DB
	// Postgres is true for PostgreSQL and false for SQLite.
	Postgres bool
}

// Open opens the database at address. The address is a postgres:// URL or the path of an SQLite file, which is
// created if it does not exist.
func Open(ctx context.Context, address string, box *seal.Box) (*DB, error) {
	var d DB
	if strings.HasPrefix(address, "postgres://") || strings.HasPrefix(address, "postgresql://") {
		config, err := pgx.ParseConfig(address)
		if err != nil {
			return nil, errors.New("the store's address is none of PostgreSQL's") // pgx's error might contain the password
		}
		inner := stdlib.GetConnector(*config)
		d = DB{Postgres: true, DB: sql.OpenDB(&connector{open: inner.Connect, driver: inner.Driver(), box: box})}
		d.SetMaxOpenConns(16)
	} else {
		// Transactions take the write lock when they start, because one that reads first could not wait for it.
		options := url.Values{"_pragma": {"foreign_keys(1)", "journal_mode(WAL)", "busy_timeout(10000)", "synchronous(FULL)"}, "_txlock": {"immediate"}}
		dsn, inner := "file:"+(&url.URL{Path: address}).EscapedPath()+"?"+options.Encode(), &sqlite.Driver{}
		d = DB{DB: sql.OpenDB(&connector{open: func(context.Context) (driver.Conn, error) { return inner.Open(dsn) }, driver: inner, box: box})}
		d.SetMaxOpenConns(8)
	}
	d.SetConnMaxIdleTime(5 * time.Minute)
	if err := d.PingContext(ctx); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return &d, nil
}

// Query converts a query's parameters to the syntax of the database: $1 in both, ?1 for SQLite.
func (d *DB) Query(query string) string {
	if d.Postgres {
		return query
	}
	return strings.ReplaceAll(query, "$", "?")
}

// Dialect returns whatsmeow's name for the database.
func (d *DB) Dialect() string {
	if d.Postgres {
		return "postgres"
	}
	return "sqlite3"
}

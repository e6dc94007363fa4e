package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"time"

	"example.com/griot/internal/db"
)

// postgresServer is a PostgreSQL server for creating and dropping databases.
type postgresServer struct {
	url  *url.URL
	conn *sql.DB
	made map[string]bool // databases that are not dropped yet
	next int
}

// onEachEngine measures SQLite and, if an address was given, PostgreSQL, unless the name isn't wanted. server is nil for
// SQLite.
func (r *report) onEachEngine(ctx context.Context, name func(db.Engine) string, measure func(context.Context, db.Engine, *postgresServer) error) (err error) {
	if r.wants(name(db.SQLite)) {
		if err := measure(ctx, db.SQLite, nil); err != nil {
			return err
		}
	}
	if r.o.postgres == "" || !r.wants(name(db.Postgres)) {
		return nil
	}
	server, err := openServer(ctx, r.o.postgres)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.close(ctx)) }()
	return measure(ctx, db.Postgres, server)
}

func openServer(ctx context.Context, address string) (*postgresServer, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	conn, err := sql.Open("pgx", address)
	if err != nil {
		return nil, err
	}
	if err := conn.PingContext(ctx); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return &postgresServer{url: u, conn: conn, made: map[string]bool{}}, nil
}

// create creates a database as a copy of another one, which must not be in use.
func (s *postgresServer) create(ctx context.Context, template string) (name string, err error) {
	s.next++
	name = fmt.Sprintf("griot_bench_%d_%d", os.Getpid(), s.next)
	if _, err = s.conn.ExecContext(ctx, "CREATE DATABASE "+name+" TEMPLATE "+template); err == nil {
		s.made[name] = true
	}
	return name, err
}

// drop drops a database, also after ctx has ended.
func (s *postgresServer) drop(ctx context.Context, name string) error {
	_, err := s.conn.ExecContext(context.WithoutCancel(ctx), "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)")
	delete(s.made, name)
	return err
}

// at returns the address of a database.
func (s *postgresServer) at(name string) string {
	u := *s.url
	u.Path = "/" + name
	return u.String()
}

// close drops the databases that are not dropped yet.
func (s *postgresServer) close(ctx context.Context) (err error) {
	for name := range maps.Clone(s.made) {
		err = errors.Join(err, s.drop(ctx, name))
	}
	return errors.Join(err, s.conn.Close())
}

// cpu returns the processor time of the server's processes; zero if they are not on this machine.
func (s *postgresServer) cpu(ctx context.Context) (used time.Duration) {
	rows, err := s.conn.QueryContext(ctx, `SELECT pid FROM pg_stat_activity`)
	if err != nil {
		return 0
	}
	defer func() { _ = rows.Close() }()
	parent := process(0)
	for rows.Next() {
		var pid process
		if rows.Scan(&pid) != nil {
			return 0
		}
		used, parent = used+pid.cpu(), pid.parent()
	}
	if rows.Err() != nil || parent <= 1 {
		return 0
	}
	return used + parent.cpu() // including its children that have ended
}

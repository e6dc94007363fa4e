package dbtest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"example.com/griot/internal/db"
)

// Main runs a package's tests and stops the PostgreSQL server that they started.
func Main(m *testing.M) {
	code := m.Run()
	Stop()
	os.Exit(code)
}

// Stop stops the server. It is for a TestMain that does more than [Main].
func Stop() { server.stop() }

// Shared returns the address of the server's superuser. It starts the server if it isn't running.
func Shared() (url string, err error) { return server.url() }

// Each runs fn once on each database, in parallel, on an empty migrated schema.
func Each(t *testing.T, fn func(t *testing.T, d *db.DB)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		fn(t, SQLite(t))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		fn(t, Postgres(t))
	})
}

// SQLite returns a migrated SQLite database in a directory of the test.
func SQLite(t testing.TB) *db.DB {
	t.Helper()
	migrated, err := templates.sqlite()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(Folder(t), "griot.db")
	if err := os.WriteFile(path, migrated, 0o600); err != nil {
		t.Fatal(err)
	}
	return open(t, "sqlite:"+path)
}

// Postgres returns a migrated PostgreSQL database for the test.
func Postgres(t testing.TB) *db.DB {
	t.Helper()
	template, err := templates.postgres()
	if err != nil {
		t.Fatal(err)
	}
	return open(t, create(t, template))
}

func open(t testing.TB, url string) *db.DB {
	t.Helper()
	d, err := db.Open(context.Background(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// PostgresURL creates an empty PostgreSQL database and returns its address.
func PostgresURL(t testing.TB) string {
	t.Helper()
	return create(t, "template1")
}

// PostgresIn creates an empty PostgreSQL database with an encoding, such as LATIN1, and returns its address.
func PostgresIn(t testing.TB, encoding string) string {
	t.Helper()
	return create(t, "template0 LC_COLLATE 'C' LC_CTYPE 'C' ENCODING '"+encoding+"'")
}

// create creates a database as a copy of another, with further options, and returns its address. Copying the files of a
// small database takes a third of the time of copying its pages through the log.
func create(t testing.TB, template string) string {
	t.Helper()
	admin, err := server.url()
	if err != nil {
		t.Fatalf("no PostgreSQL for the tests (make setup installs it): %v", err)
	}
	name := server.name()
	if err := server.execute("CREATE DATABASE " + name + " TEMPLATE " + template + " STRATEGY FILE_COPY"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.execute("DROP DATABASE " + name + " WITH (FORCE)"); err != nil {
			t.Error(err)
		}
	})
	return at(admin, name)
}

// at returns the address of a database on the administrator's server.
func at(admin, name string) string {
	u, err := url.Parse(admin)
	if err != nil {
		return admin
	}
	u.Path = "/" + name
	return u.String()
}

func execute(admin, text string) error {
	c, err := sql.Open("pgx", admin)
	if err != nil {
		return err
	}
	_, err = c.ExecContext(context.Background(), text)
	return errors.Join(err, c.Close())
}

type shared struct {
	once  sync.Once
	admin string
	err   error
	pool  *sql.DB // of admin, because a connection for each statement would cost more than most statements
	end   func()
	next  atomic.Int64
}

// The server that all tests of a process share.
var server shared

func (p *shared) url() (string, error) {
	p.once.Do(func() {
		if p.admin = os.Getenv("TEST_POSTGRES"); p.admin == "" {
			p.admin, p.end, p.err = startPostgres()
		}
		if p.err == nil {
			p.pool, p.err = sql.Open("pgx", p.admin)
		}
	})
	return p.admin, p.err
}

// name returns an unused name for a database.
func (p *shared) name() string { return fmt.Sprintf("griot_test_%d_%d", os.Getpid(), p.next.Add(1)) }

// execute runs a statement as the administrator, once url has returned the address.
func (p *shared) execute(text string) error {
	_, err := p.pool.ExecContext(context.Background(), text)
	return err
}

func (p *shared) stop() {
	templates.remove()
	if p.pool != nil {
		_ = p.pool.Close()
	}
	if p.end != nil {
		p.end()
	}
}

// Lock locks tables of a PostgreSQL database, so that other statements wait for them, until release is called.
func Lock(t testing.TB, url string, tables ...string) (release func()) {
	t.Helper()
	c, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	tx, err := c.BeginTx(t.Context(), nil)
	if err == nil {
		_, err = tx.ExecContext(t.Context(), "LOCK TABLE "+strings.Join(tables, ", "))
	}
	if err != nil {
		t.Fatal(err)
	}
	return func() { _ = tx.Rollback() }
}

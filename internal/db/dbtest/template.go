package dbtest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"example.com/griot/internal/db"
)

// templates are migrated databases to copy, because migrating takes longer than most tests.
var templates migrated

type migrated struct {
	onceSQLite, oncePostgres sync.Once
	file                     []byte
	name                     string // of the PostgreSQL database
	errSQLite, errPostgres   error
}

// sqlite returns the content of a migrated file.
func (m *migrated) sqlite() ([]byte, error) {
	m.onceSQLite.Do(func() {
		dir, err := os.MkdirTemp(base(), "griot-test-")
		if err != nil {
			m.errSQLite = err
			return
		}
		path := filepath.Join(dir, "griot.db")
		if m.errSQLite = migrate("sqlite:" + path); m.errSQLite == nil {
			m.file, m.errSQLite = os.ReadFile(path)
		}
		m.errSQLite = errors.Join(m.errSQLite, os.RemoveAll(dir))
	})
	return m.file, m.errSQLite
}

// postgres returns the name of a migrated database that has no connections.
func (m *migrated) postgres() (string, error) {
	m.oncePostgres.Do(func() {
		admin, err := server.url()
		if err != nil {
			m.errPostgres = err
			return
		}
		name := server.name()
		if m.errPostgres = server.execute("CREATE DATABASE " + name); m.errPostgres != nil {
			return
		}
		m.name = name
		m.errPostgres = migrate(at(admin, name))
	})
	return m.name, m.errPostgres
}

// remove drops the database, because a server that was running before outlives the tests.
func (m *migrated) remove() {
	if m.name != "" {
		_ = server.execute("DROP DATABASE IF EXISTS " + m.name + " WITH (FORCE)")
	}
}

func migrate(url string) error {
	ctx := context.Background()
	d, err := db.Open(ctx, url)
	if err != nil {
		return err
	}
	_, err = d.Migrate(ctx)
	return errors.Join(err, d.Close())
}

// Folder returns a directory of the test for databases. It is in memory if the machine has room, because such
// tests spend most of their time waiting for the disk.
func Folder(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp(base(), "griot-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

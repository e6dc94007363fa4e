package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.mau.fi/whatsmeow/store/sqlstore"

	"example.com/griot/griot-whatsapp/internal/db"
	"example.com/griot/griot-whatsapp/internal/seal"
)

// ErrKey reports that the store was encrypted with another master key.
var ErrKey = errors.New("the store was sealed with another master key")

// Limits limit the events that wait for Griot, and the attachments that Griot can fetch.
type Limits struct {
	Events    int
	Bytes     int
	Media     int           // 0: 50,000, of some 500 bytes each
	MediaKept time.Duration // time for which Griot can fetch an attachment after it has the event; 0: one day. The protocol requires at least one hour
}

// Store is an open store. Its methods are safe for concurrent use, and several processes can share the database.
type Store struct {
	// Devices are whatsmeow's tables.
	Devices *sqlstore.Container

	db     *db.DB
	limits Limits
	wake   chan struct{}
}

const schema = `
CREATE TABLE IF NOT EXISTS griot_meta (name TEXT PRIMARY KEY, value BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS griot_numbers (number TEXT PRIMARY KEY, jid TEXT NOT NULL, state TEXT NOT NULL, until_ms BIGINT NOT NULL, paired_ms BIGINT NOT NULL, ordered_ms BIGINT NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS griot_linking (number TEXT PRIMARY KEY, jid TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS griot_restrictions (number TEXT NOT NULL, reason TEXT NOT NULL, until_ms BIGINT NOT NULL, PRIMARY KEY (number, reason));
CREATE TABLE IF NOT EXISTS griot_leases (number TEXT PRIMARY KEY, holder TEXT NOT NULL, epoch BIGINT NOT NULL, until_ms BIGINT NOT NULL);
CREATE TABLE IF NOT EXISTS griot_references (reference TEXT PRIMARY KEY, number TEXT NOT NULL, message_id TEXT NOT NULL, status TEXT NOT NULL, taken_ms BIGINT NOT NULL, recipient TEXT NOT NULL DEFAULT '');
CREATE INDEX IF NOT EXISTS griot_references_message ON griot_references (number, message_id);
CREATE INDEX IF NOT EXISTS griot_references_taken ON griot_references (taken_ms);
CREATE TABLE IF NOT EXISTS griot_events (seq SERIAL PRIMARY KEY, id TEXT NOT NULL UNIQUE, body BLOB NOT NULL, bytes BIGINT NOT NULL, stored_ms BIGINT NOT NULL DEFAULT 0, needs_ids BIGINT NOT NULL DEFAULT 0, due_ms BIGINT NOT NULL DEFAULT 0, conversation TEXT NOT NULL DEFAULT '', ordered_ms BIGINT NOT NULL DEFAULT 0, parked BIGINT NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS griot_media (id TEXT PRIMARY KEY, number TEXT NOT NULL, event_id TEXT NOT NULL, source BLOB NOT NULL, kept_ms BIGINT NOT NULL);
CREATE INDEX IF NOT EXISTS griot_media_event ON griot_media (event_id);
CREATE INDEX IF NOT EXISTS griot_media_kept ON griot_media (kept_ms);
CREATE TABLE IF NOT EXISTS griot_writers (number TEXT NOT NULL, person TEXT NOT NULL, PRIMARY KEY (number, person));
CREATE INDEX IF NOT EXISTS griot_writers_ending ON griot_writers (number, substr(person, length(person) - 6));
CREATE TABLE IF NOT EXISTS griot_pairs (id TEXT PRIMARY KEY, phone TEXT NOT NULL, confirmed_ms BIGINT NOT NULL);
CREATE INDEX IF NOT EXISTS griot_pairs_phone ON griot_pairs (phone);
CREATE TABLE IF NOT EXISTS griot_questions (number TEXT NOT NULL, person TEXT NOT NULL, message_id TEXT NOT NULL, options BLOB NOT NULL, asked_ms BIGINT NOT NULL, PRIMARY KEY (number, person));
`

// Open opens the store at a postgres:// URL or in a file. It creates missing tables.
func Open(ctx context.Context, address string, box *seal.Box, limits Limits) (*Store, error) {
	database, err := db.Open(ctx, address, box)
	if err != nil {
		return nil, fmt.Errorf("opening the store: %w", err)
	}
	limits.Media, limits.MediaKept = cmp.Or(limits.Media, 50_000), cmp.Or(limits.MediaKept, 24*time.Hour)
	s := &Store{db: database, limits: limits, wake: make(chan struct{}, 1)}
	if err := s.prepare(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Store) prepare(ctx context.Context) error {
	ddl := strings.ReplaceAll(schema, "SERIAL PRIMARY KEY", "INTEGER PRIMARY KEY AUTOINCREMENT")
	if s.db.Postgres {
		ddl = strings.NewReplacer("BLOB", "BYTEA", "SERIAL", "BIGSERIAL").Replace(schema)
	}
	for statement := range strings.SplitSeq(ddl, ";\n") {
		if strings.TrimSpace(statement) == "" {
			continue
		}
		if _, err := s.db.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("making the store's tables: %w", err)
		}
	}
	for _, added := range []struct{ table, column, kind string }{
		{"griot_events", "stored_ms", "BIGINT NOT NULL DEFAULT 0"},
		{"griot_events", "needs_ids", "BIGINT NOT NULL DEFAULT 0"},
		{"griot_events", "due_ms", "BIGINT NOT NULL DEFAULT 0"},
		{"griot_events", "conversation", "TEXT NOT NULL DEFAULT ''"},
		{"griot_events", "ordered_ms", "BIGINT NOT NULL DEFAULT 0"},
		{"griot_events", "parked", "BIGINT NOT NULL DEFAULT 0"},
		{"griot_numbers", "ordered_ms", "BIGINT NOT NULL DEFAULT 0"},
		{"griot_references", "recipient", "TEXT NOT NULL DEFAULT ''"},
	} {
		if s.exec(ctx, `SELECT `+added.column+` FROM `+added.table+` LIMIT 0`) == nil {
			continue
		}
		if err := s.exec(ctx, `ALTER TABLE `+added.table+` ADD COLUMN `+added.column+` `+added.kind); err != nil { // an earlier version created the table
			return fmt.Errorf("changing the store's tables: %w", err)
		}
	}
	// Without it, each new event would read all that wait.
	if err := s.exec(ctx, `CREATE INDEX IF NOT EXISTS griot_events_bytes ON griot_events (bytes)`); err != nil {
		return fmt.Errorf("changing the store's tables: %w", err)
	}
	if err := s.checkKey(ctx); err != nil {
		return err
	}
	s.Devices = sqlstore.NewWithDB(s.db.DB, s.db.Dialect(), nil)
	if err := s.Devices.Upgrade(ctx); err != nil {
		return fmt.Errorf("making whatsmeow's tables: %w", err)
	}
	return nil
}

// checkKey writes a known value at the first start and decrypts it at every later start, so that a wrong key is
// detected before it encrypts anything.
func (s *Store) checkKey(ctx context.Context) error {
	const known = "griot-whatsapp"
	if err := s.exec(ctx, `INSERT INTO griot_meta (name, value) VALUES ('check', $1) ON CONFLICT (name) DO NOTHING`, []byte(known)); err != nil {
		return err
	}
	var value []byte
	err := s.row(ctx, `SELECT value FROM griot_meta WHERE name = 'check'`).Scan(&value)
	if errors.Is(err, seal.ErrSealed) || err == nil && string(value) != known {
		return ErrKey
	}
	return err
}

// Close closes the store.
func (s *Store) Close() error { return s.db.Close() }

func (s *Store) exec(ctx context.Context, query string, args ...any) error {
	_, err := s.db.ExecContext(ctx, s.db.Query(query), args...)
	return err
}

// changed executes a statement and reports whether it has changed a row.
func (s *Store) changed(ctx context.Context, query string, args ...any) (bool, error) {
	result, err := s.db.ExecContext(ctx, s.db.Query(query), args...)
	if err != nil {
		return false, err
	}
	n, err := result.RowsAffected()
	return n > 0, err
}

func (s *Store) row(ctx context.Context, query string, args ...any) *sql.Row {
	return s.db.QueryRowContext(ctx, s.db.Query(query), args...)
}

// clock returns an SQL expression for the database's time in milliseconds. Processes that share a store might have different clocks.
func (s *Store) clock() string {
	if s.db.Postgres {
		return "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)"
	}
	return "CAST(unixepoch('subsec') * 1000 AS INTEGER)"
}

func fromMillis(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

func toMillis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

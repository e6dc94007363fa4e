package db_test

import (
	"database/sql"
	"io"
	"sync"
	"sync/atomic"
	"testing"

	"modernc.org/sqlite/vtab"
)

// SQLite uses the value of a bound LIMIT for its plan, and prepares the statement again whenever the value is bound
// again. A cast hides the value. The repository's query texts rely on this.
func TestSQLite_ABoundLimitIsPreparedAgainWithoutACast(t *testing.T) {
	d, err := sql.Open("sqlite", "file:"+t.TempDir()+"/x.db")
	must(t, err)
	defer func() { must(t, d.Close()) }()
	d.SetMaxOpenConns(1)
	register.Do(func() { must(t, vtab.RegisterModule(d, "planned", &planned)) })
	_, err = d.ExecContext(t.Context(), `CREATE VIRTUAL TABLE things USING planned`)
	must(t, err)
	for text, want := range map[string]int64{
		`SELECT * FROM things LIMIT CAST(? AS BIGINT)`: 0,
		`SELECT * FROM things LIMIT 5`:                 0,
		`SELECT * FROM things LIMIT ?`:                 3,
	} {
		s, err := d.PrepareContext(t.Context(), text)
		must(t, err)
		var args []any
		if text[len(text)-1] != '5' {
			args = []any{5}
		}
		run := func() {
			rows, err := s.QueryContext(t.Context(), args...)
			must(t, err)
			must(t, rows.Close())
			must(t, rows.Err())
		}
		run()
		before := planned.n.Load()
		for range 3 {
			run()
		}
		if n := planned.n.Load() - before; n != want {
			t.Errorf("%s: it was planned %d times in three executions, want %d", text, n, want)
		}
		must(t, s.Close())
	}
}

// The driver accepts a module's name only once per process.
var (
	planned  plans
	register sync.Once
)

// plans is an empty virtual table that counts how often a statement with it is planned.
type plans struct{ n atomic.Int64 }

func (p *plans) Create(c vtab.Context, _ []string) (vtab.Table, error) {
	return p, c.Declare("CREATE TABLE x (id)")
}

func (p *plans) Connect(c vtab.Context, args []string) (vtab.Table, error) { return p.Create(c, args) }

func (p *plans) BestIndex(*vtab.IndexInfo) error {
	p.n.Add(1)
	return nil
}

func (*plans) Open() (vtab.Cursor, error) { return nothing{}, nil }
func (*plans) Disconnect() error          { return nil }
func (*plans) Destroy() error             { return nil }

type nothing struct{}

func (nothing) Filter(int, string, []vtab.Value) error { return nil }
func (nothing) Next() error                            { return io.EOF }
func (nothing) Eof() bool                              { return true }
func (nothing) Column(int) (vtab.Value, error)         { return nil, io.EOF }
func (nothing) Rowid() (int64, error)                  { return 0, io.EOF }
func (nothing) Close() error                           { return nil }

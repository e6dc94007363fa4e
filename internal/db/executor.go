package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"

	"modernc.org/sqlite"
)

// executor runs the statements of SQLite's only writer that return at most one row, on the driver's own connection.
// It skips the work that database/sql does for a shared pool, because only the writer uses the connection.
type executor struct {
	conn   driver.ConnPrepareContext
	status sqlite.DBStatus
	stmts  map[string]*execution
	args   []driver.NamedValue // of the current statement
	values []driver.Value      // of the current row
}

type execution struct {
	driver.Stmt
	run   driver.StmtExecContext
	query driver.StmtQueryContext
	order []int // of [anonymous]
}

var errNull = errors.New("NULL where a value is wanted")

var errDriver = errors.New("the driver cannot run this prepared statement")

// connect takes the driver's connection of conn. No one else can use it until it is closed.
func (x *executor) connect(conn *sql.Conn) error {
	return conn.Raw(func(c any) (err error) {
		var ok bool
		if x.conn, ok = c.(driver.ConnPrepareContext); !ok {
			return errDriver
		}
		if x.status, ok = c.(sqlite.DBStatus); !ok {
			return errDriver
		}
		x.stmts = map[string]*execution{}
		return nil
	})
}

func (x *executor) close() {
	for _, s := range x.stmts {
		_ = s.Close()
	}
	x.conn, x.stmts = nil, nil
}

// written returns the number of pages that this connection has written since the last call.
func (x *executor) written() int64 {
	if x.conn == nil {
		return 0
	}
	n, _, _ := x.status.Status(sqlite.DBStatusCacheWrite, true) // it fails only for a counter that SQLite doesn't know
	return int64(n)
}

func (x *executor) exec(text string, args []any) (changed int64, err error) {
	s, err := x.statement(text, args)
	if err != nil {
		return 0, err
	}
	res, err := s.run.ExecContext(context.Background(), x.args)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// row reads the first row into destinations that [simple] allows.
func (x *executor) row(text string, args, dest []any) (found bool, err error) {
	s, err := x.statement(text, args)
	if err != nil {
		return false, err
	}
	rows, err := s.query.QueryContext(context.Background(), x.args)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	x.values = append(x.values[:0], make([]driver.Value, len(rows.Columns()))...)
	switch err := rows.Next(x.values); {
	case errors.Is(err, io.EOF):
		return false, nil
	case err != nil:
		return false, err
	}
	if len(x.values) != len(dest) {
		return false, fmt.Errorf("%d columns for %d places", len(x.values), len(dest))
	}
	for i, d := range dest {
		if err := assign(d, x.values[i]); err != nil {
			return false, fmt.Errorf("column %d: %w", i+1, err)
		}
	}
	return true, nil
}

// statement prepares a text and stores its arguments in x.args.
func (x *executor) statement(text string, args []any) (s *execution, err error) {
	if s = x.stmts[text]; s == nil {
		if s, err = x.prepare(text); err != nil {
			return nil, err
		}
		x.stmts[text] = s
	}
	x.args = x.args[:0]
	places := len(args)
	if s.order != nil {
		places = len(s.order)
	}
	for i := range places {
		n := i
		if s.order != nil {
			n = s.order[i]
		}
		if n >= len(args) {
			break // the driver reports the missing argument
		}
		v, err := value(args[n])
		if err != nil {
			return nil, err
		}
		x.args = append(x.args, driver.NamedValue{Ordinal: i + 1, Value: v})
	}
	return s, nil
}

func (x *executor) prepare(text string) (*execution, error) {
	if x.conn == nil {
		return nil, driver.ErrBadConn
	}
	plain, order := anonymous(text)
	s, err := x.conn.PrepareContext(context.Background(), plain)
	if err != nil {
		return nil, err
	}
	run, runs := s.(driver.StmtExecContext)
	query, queries := s.(driver.StmtQueryContext)
	if !runs || !queries {
		return nil, errors.Join(errDriver, s.Close())
	}
	return &execution{s, run, query, order}, nil
}

// value converts an argument like database/sql.
func value(a any) (driver.Value, error) {
	switch v := a.(type) {
	case nil, string, int64:
		return v, nil
	case int:
		return int64(v), nil
	}
	return driver.DefaultParameterConverter.ConvertValue(a)
}

// simple reports whether [assign] supports all destinations.
func simple(dest []any) bool {
	for _, d := range dest {
		switch d.(type) {
		case *string, *int64, *int, *bool, sql.Scanner:
		default:
			return false
		}
	}
	return true
}

// assign reads a value like [sql.Rows.Scan].
func assign(dest any, v driver.Value) error {
	switch d := dest.(type) {
	case *string:
		return convert(d, v)
	case *int64:
		return convert(d, v)
	case *int:
		return convert(d, v)
	case *bool:
		return convert(d, v)
	case sql.Scanner:
		return d.Scan(v)
	}
	return errDriver
}

func convert[T any](dest *T, v driver.Value) error {
	if t, ok := v.(T); ok {
		*dest = t
		return nil
	}
	var n sql.Null[T]
	if err := n.Scan(v); err != nil {
		return err
	}
	if !n.Valid {
		return errNull
	}
	*dest = n.V
	return nil
}

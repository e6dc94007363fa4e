package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
)

// executor runs the statements of SQLite's one writer that return no rows, or one
// number, on the driver's own connection: what database/sql does for each, so that many may share
// a pool, the only user of a pinned connection need not pay for.
type executor struct {
	conn  driver.ConnPrepareContext
	stmts map[string]*execution
	args  []driver.NamedValue // one at a time
}

type execution struct {
	driver.Stmt
	run   driver.StmtExecContext
	ask   driver.StmtQueryContext
	order []int // of [anonymous]
}

var errDriver = errors.New("the driver cannot run this prepared statement")

// connect takes the driver's connection of conn, which nobody else may use until it is closed.
func (x *executor) connect(conn *sql.Conn) error {
	return conn.Raw(func(c any) (err error) {
		var ok bool
		if x.conn, ok = c.(driver.ConnPrepareContext); !ok {
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

// number returns the first column of the first row.
func (x *executor) number(text string, args []any) (n int64, found bool, err error) {
	s, err := x.statement(text, args)
	if err != nil {
		return 0, false, err
	}
	rows, err := s.ask.QueryContext(context.Background(), x.args)
	if err != nil {
		return 0, false, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	var value [1]driver.Value
	switch err := rows.Next(value[:]); {
	case errors.Is(err, io.EOF):
		return 0, false, nil
	case err != nil:
		return 0, false, err
	}
	n, found = value[0].(int64)
	if !found {
		return 0, false, errDriver
	}
	return n, true, nil
}

// statement prepares a text and puts its arguments into x.args.
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
			break // the driver says what is missing
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
	ask, asks := s.(driver.StmtQueryContext)
	if !runs || !asks {
		return nil, errors.Join(errDriver, s.Close())
	}
	return &execution{s, run, ask, order}, nil
}

// value converts an argument as database/sql would.
func value(a any) (driver.Value, error) {
	switch v := a.(type) {
	case nil, string, int64:
		return v, nil
	case int:
		return int64(v), nil
	}
	return driver.DefaultParameterConverter.ConvertValue(a)
}

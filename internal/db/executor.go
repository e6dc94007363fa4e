package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
)

// executor runs the statements of SQLite's one writer that return no rows on the
// driver's own connection: what database/sql does for each, so that many may share
// a pool, the only user of a pinned connection need not pay for.
type executor struct {
	conn  driver.ConnPrepareContext
	stmts map[string]*execution
	args  []driver.NamedValue // one at a time
}

type execution struct {
	driver.Stmt
	run   driver.StmtExecContext
	order []int // of [anonymous]
}

var errDriver = errors.New("the driver cannot run prepared statements")

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
	s := x.stmts[text]
	if s == nil {
		if s, err = x.prepare(text); err != nil {
			return 0, err
		}
		x.stmts[text] = s
	}
	x.args = x.args[:0]
	for i, a := range arrange(args, s.order) {
		v, err := value(a)
		if err != nil {
			return 0, err
		}
		x.args = append(x.args, driver.NamedValue{Ordinal: i + 1, Value: v})
	}
	res, err := s.run.ExecContext(context.Background(), x.args)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
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
	run, ok := s.(driver.StmtExecContext)
	if !ok {
		return nil, errors.Join(errDriver, s.Close())
	}
	return &execution{s, run, order}, nil
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

package db

import (
	"context"
	"database/sql/driver"
	"errors"
	"regexp"
	"strconv"

	"example.com/griot/griot-whatsapp/internal/seal"
)

// errPrepared is the error for prepared statements, which would bypass the encryption. This program does not use them.
var errPrepared = errors.New("statements are not prepared on a sealed database")

// connector opens encrypting connections.
type connector struct {
	open   func(context.Context) (driver.Conn, error)
	driver driver.Driver
	box    *seal.Box
}

func (c *connector) Driver() driver.Driver { return c.driver }

func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	inner, err := c.open(ctx)
	if err != nil {
		return nil, err
	}
	return &conn{Conn: inner, box: c.box}, nil
}

// conn encrypts and decrypts the binary values of a connection. database/sql converts the arguments first, because
// conn does not implement its own check.
type conn struct {
	driver.Conn
	box *seal.Box
}

// lengthCheck matches the checks of key lengths in whatsmeow's tables.
var lengthCheck = regexp.MustCompile(`(CHECK \( length\(\w+\) = )(\d+)( \))`)

// lengthen changes the checks to the length of the encrypted keys.
func lengthen(query string) string {
	return lengthCheck.ReplaceAllStringFunc(query, func(check string) string {
		parts := lengthCheck.FindStringSubmatch(check)
		n, _ := strconv.Atoi(parts[2]) // the expression matches only digits
		return parts[1] + strconv.Itoa(n+seal.Overhead) + parts[3]
	})
}

func (c *conn) sealed(args []driver.NamedValue) []driver.NamedValue {
	out := make([]driver.NamedValue, len(args))
	for i, arg := range args {
		if plain, ok := arg.Value.([]byte); ok && plain != nil {
			arg.Value = c.box.Seal(plain)
		}
		out[i] = arg
	}
	return out
}

func (c *conn) Prepare(string) (driver.Stmt, error) { return nil, errPrepared }

func (c *conn) PrepareContext(context.Context, string) (driver.Stmt, error) { return nil, errPrepared }

func (c *conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	inner, ok := c.Conn.(driver.ExecerContext)
	if !ok {
		return nil, errPrepared
	}
	return inner.ExecContext(ctx, lengthen(query), c.sealed(args))
}

func (c *conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	inner, ok := c.Conn.(driver.QueryerContext)
	if !ok {
		return nil, errPrepared
	}
	found, err := inner.QueryContext(ctx, query, c.sealed(args))
	if err != nil {
		return nil, err
	}
	return &rows{Rows: found, box: c.box}, nil
}

func (c *conn) BeginTx(ctx context.Context, options driver.TxOptions) (driver.Tx, error) {
	inner, ok := c.Conn.(driver.ConnBeginTx)
	if !ok {
		return nil, errors.New("the driver has no transactions")
	}
	return inner.BeginTx(ctx, options)
}

func (c *conn) Ping(ctx context.Context) error {
	if inner, ok := c.Conn.(driver.Pinger); ok {
		return inner.Ping(ctx)
	}
	return nil
}

func (c *conn) ResetSession(ctx context.Context) error {
	if inner, ok := c.Conn.(driver.SessionResetter); ok {
		return inner.ResetSession(ctx)
	}
	return nil
}

func (c *conn) IsValid() bool {
	inner, ok := c.Conn.(driver.Validator)
	return !ok || inner.IsValid()
}

// rows decrypts the binary values of a result.
type rows struct {
	driver.Rows
	box *seal.Box
}

func (r *rows) Next(dest []driver.Value) error {
	if err := r.Rows.Next(dest); err != nil {
		return err
	}
	for i, value := range dest {
		sealed, ok := value.([]byte)
		if !ok || sealed == nil {
			continue
		}
		plain, err := r.box.Open(sealed)
		if err != nil {
			return err
		}
		dest[i] = plain
	}
	return nil
}

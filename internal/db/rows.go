package db

import (
	"database/sql"
	"strconv"
	"strings"
	"time"
)

// Select returns the rows of a query. read scans one row. Select stops at the first error and also returns the rows
// before it.
func Select[T any](q *Query, read func(scan Scan, into *T) error, text string, args ...any) (list []T, err error) {
	err = q.Each(func(rows *sql.Rows) error {
		var one T
		err := read(rows.Scan, &one)
		list = append(list, one)
		return err
	}, text, args...)
	return list, err
}

// First returns the first row of a query; nil if there is none. read scans the row. It is called in either case.
func First[T any](q *Query, read func(scan Scan, into *T) error, text string, args ...any) (*T, error) {
	one, found := new(T), false
	err := read(func(dest ...any) (err error) {
		found, err = q.Row(text, args...).Scan(dest...)
		return err
	}, one)
	if err != nil || !found {
		return nil, err
	}
	return one, nil
}

// Pairs returns the rows of a query for two text columns as a map, by the first column. text contains the lists of [In].
func Pairs(q *Query, text string, args ...any) (map[string]string, error) {
	pairs := map[string]string{}
	err := q.Each(func(rows *sql.Rows) error {
		var key, value string
		err := rows.Scan(&key, &value)
		pairs[key] = value
		return err
	}, text, args...)
	return pairs, err
}

// In returns placeholders for the values of a list, starting with $first, and the values as arguments. PostgreSQL
// doesn't accept an empty IN ().
func In[T any](first int, list []T) (places string, args []any) {
	for _, value := range list {
		args = append(args, value)
	}
	return Placeholders(first, len(list)), args
}

// Placeholders returns n placeholders, starting with $first.
func Placeholders(first, n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString("$" + strconv.Itoa(first+i))
	}
	return b.String()
}

// Time returns a scan destination that reads a time like [At]; the zero time for NULL.
func Time(t *time.Time) sql.Scanner { return timeDest{t} }

type timeDest struct{ t *time.Time }

// Scan implements [sql.Scanner].
func (d timeDest) Scan(v any) error {
	var ms sql.NullInt64
	err := ms.Scan(v)
	*d.t = AtNull(ms)
	return err
}

// OrZero returns a scan destination that reads NULL as the zero value. It also reads named types, such as kinds and
// modes, which otherwise exclude a row from the direct path of [Row.Scan].
func OrZero[T any](v *T) sql.Scanner { return zeroDest[T]{v} }

type zeroDest[T any] struct{ v *T }

// Scan implements [sql.Scanner].
func (d zeroDest[T]) Scan(v any) error {
	var n sql.Null[T]
	err := n.Scan(v)
	*d.v = n.V
	return err
}

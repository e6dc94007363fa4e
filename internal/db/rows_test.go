package db_test

import (
	"slices"
	"testing"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

// Rows are read into values, with NULL as zero. First returns the first row or none. Unreadable values are an error.
func TestSelect_ReadsRows(t *testing.T) {
	type row struct {
		Name string
		At   time.Time
		Left int
	}
	read := func(scan db.Scan, r *row) error { return scan(db.OrZero(&r.Name), db.Time(&r.At), db.OrZero(&r.Left)) }
	const rows = `SELECT CAST('a' AS TEXT), CAST(1000 AS BIGINT), CAST(3 AS BIGINT) UNION ALL SELECT NULL, NULL, NULL`
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		all, err := db.Select(d.Read(t.Context()), read, rows)
		slices.SortFunc(all, func(a, b row) int { return b.Left - a.Left })
		if want := []row{{"a", time.UnixMilli(1000).UTC(), 3}, {}}; err != nil || !slices.Equal(all, want) {
			t.Errorf("%v, %v, want %v", all, err, want)
		}
		err = d.Write(t.Context(), func(tx *db.Tx) error {
			one, err := db.First(&tx.Query, read, `SELECT CAST('a' AS TEXT), CAST(NULL AS BIGINT), CAST(3 AS BIGINT)`)
			if err != nil || one == nil || *one != (row{Name: "a", Left: 3}) {
				t.Errorf("the first row is %v, %v", one, err)
			}
			none, err := db.First(&tx.Query, read, `SELECT CAST('a' AS TEXT), CAST(1 AS BIGINT), CAST(3 AS BIGINT) WHERE 1 = 0`)
			if none != nil {
				t.Errorf("%v, where there is no row", none)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.Select(d.Read(t.Context()), read, `SELECT CAST('a' AS TEXT), CAST(1 AS BIGINT), CAST('three' AS TEXT)`); err == nil {
			t.Error("a text was read as a number")
		}
	})
}

package db_test

import (
	"database/sql"
	"slices"
	"testing"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

// names reads the tenants' ids with a queued statement.
func names(tx *db.Tx, ids *[]string) error {
	*ids = nil // the closure might run twice
	return tx.Queue(func(scan db.Scan) error {
		var id string
		err := scan(&id)
		*ids = append(*ids, id)
		return err
	}, `SELECT id FROM tenants ORDER BY id`)
}

func TestQueue_RunsStatementsInTheirOrder(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		var first, second, third []string
		var seen int
		err := d.Write(t.Context(), func(tx *db.Tx) error {
			steps := []func() error{
				func() error { return tx.Queue(nil, insert, "a", "name", 1) },
				func() error { return names(tx, &first) },
				func() error { return tx.Queue(nil, insert, "b", "name", 1) },
				func() error { return names(tx, &second) },
				tx.Flush,
				func() error { return tx.Queue(nil, insert, "c", "name", 1) },
				func() error { // an unqueued read sees the queued statements
					_, err := tx.Row(`SELECT COUNT(*) FROM tenants`).Scan(&seen)
					return err
				},
				func() error { return tx.Queue(nil, insert, "d", "name", 1) },
				func() error {
					return tx.Each(func(rows *sql.Rows) error {
						var id string
						err := rows.Scan(&id)
						third = append(third, id)
						return err
					}, `SELECT id FROM tenants ORDER BY id`)
				},
				func() error { return tx.Queue(nil, insert, "e", "name", 1) }, // is sent with the commit
			}
			third = nil
			for _, step := range steps {
				if err := step(); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatalf("the transaction: got %v, want no error", err)
		}
		if want := []string{"a"}; !slices.Equal(first, want) {
			t.Errorf("after the first insert: got %v, want %v", first, want)
		}
		if want := []string{"a", "b"}; !slices.Equal(second, want) {
			t.Errorf("after the second insert: got %v, want %v", second, want)
		}
		if seen != 3 {
			t.Errorf("rows that Row sees after the third insert: got %d, want 3", seen)
		}
		if want := []string{"a", "b", "c", "d"}; !slices.Equal(third, want) {
			t.Errorf("rows that Each sees after the fourth insert: got %v, want %v", third, want)
		}
		if n := count(t, d); n != 5 {
			t.Errorf("rows that were committed: got %d, want 5", n)
		}
	})
}

// A statement's error is the transaction's, regardless of its time, and the connection stays usable for the next one.
func TestQueue_FailsTheTransaction(t *testing.T) {
	for name, then := range map[string]func(*db.Tx) error{
		"at the commit": func(*db.Tx) error { return nil },
		"at a flush":    (*db.Tx).Flush,
		"at a read": func(tx *db.Tx) error {
			_, err := tx.Row(`SELECT 1`).Scan(new(int))
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				err := d.Write(t.Context(), func(tx *db.Tx) error {
					for _, id := range []string{"a", "b", "a"} {
						if err := tx.Queue(nil, insert, id, "name", 1); err != nil {
							return err
						}
					}
					return then(tx)
				})
				if err == nil || db.OutcomeUnknown(err) == (d.Engine() == db.Postgres) {
					t.Errorf("one id twice: got %v (unheard: %t), want the server's refusal", err, db.OutcomeUnknown(err))
				}
				if n := count(t, d); n != 0 {
					t.Errorf("rows of a transaction that failed: got %d, want 0", n)
				}
				for i := range 40 { // more than there are connections
					if err := d.Write(t.Context(), func(tx *db.Tx) error { return add(tx, string(rune('a'+i))) }); err != nil {
						t.Fatalf("transaction %d after it: got %v, want no error", i, err)
					}
				}
			})
		})
	}
}

// PostgreSQL rolls back a transaction in which a statement has failed, even at COMMIT. That is an error.
func TestWrite_IsNoCommitWhereAnErrorWasIgnored(t *testing.T) {
	d := dbtest.Postgres(t)
	err := d.Write(t.Context(), func(tx *db.Tx) error {
		_ = add(tx, "a")
		_ = add(tx, "a")
		return nil
	})
	if err == nil {
		t.Errorf("a transaction whose statement had failed: got no error, want one")
	}
	if n := count(t, d); n != 0 {
		t.Errorf("its rows: got %d, want 0", n)
	}
}

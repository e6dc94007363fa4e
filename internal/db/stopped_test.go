package db_test

import (
	"errors"
	"testing"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/waittest"
)

// A process that stops between two round trips of a transaction loses its row locks. When it continues, its write runs
// again.
// Rules: M182.
func TestWrite_ASilentTransactionLosesItsLocks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		url  func(testing.TB, string) string
	}{
		{"direct", func(_ testing.TB, url string) string { return url }},
		{"behind a pooler", dbtest.Pooler},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			url := dbtest.PostgresURL(t)
			other := openURL(t, url)
			must(t, other.Write(t.Context(), func(tx *db.Tx) error {
				_, err := tx.Exec(`CREATE TABLE locked (id INTEGER PRIMARY KEY, n INTEGER)`)
				if err == nil {
					_, err = tx.Exec(`INSERT INTO locked VALUES (1, 0)`)
				}
				return err
			}))
			raise := func(tx *db.Tx) error {
				_, err := tx.Exec(`UPDATE locked SET n = n + 1 WHERE id = $1`, 1)
				return err
			}
			silent := openURL(t, c.url(t, url))
			holds, goOn, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
			runs, limit := 0, ""
			go func() {
				ended <- silent.Write(t.Context(), func(tx *db.Tx) error {
					if runs++; runs > 1 {
						return raise(tx)
					}
					_, err := tx.Row(`SELECT current_setting('idle_in_transaction_session_timeout')`).Scan(&limit)
					err = errors.Join(err, raise(tx))
					close(holds)
					<-goOn
					return errors.Join(err, raise(tx))
				})
			}()
			waittest.Receive(t, holds)
			must(t, other.Write(waittest.Context(t), raise))
			close(goOn)
			if err := waittest.Receive(t, ended); limit != "2s" || err != nil || runs < 2 {
				t.Errorf("the write that had stopped ran %d times with the limit %q and ended with %v, want at least 2, 2s, and no error", runs, limit, err)
			}
			var n int
			if _, err := other.Read(t.Context()).Row(`SELECT n FROM locked`).Scan(&n); err != nil || n != 2 {
				t.Errorf("n = %d, %v, want 2: one for each write", n, err)
			}
		})
	}
}

// The sessions behind a pooler also serve other clients, so none of our settings are left in them.
func TestWrite_LeavesAPoolersSessionsAsTheyWere(t *testing.T) {
	t.Parallel()
	d := openURL(t, dbtest.Pooler(t, dbtest.PostgresURL(t)))
	limit := func(q interface {
		Row(string, ...any) db.Row
	},
	) (s string) {
		t.Helper()
		_, err := q.Row(`SELECT current_setting('idle_in_transaction_session_timeout')`).Scan(&s)
		must(t, err)
		return s
	}
	var within string
	must(t, d.Write(t.Context(), func(tx *db.Tx) error {
		within = limit(tx)
		return nil
	}))
	if after := limit(d.Read(t.Context())); within != "2s" || after != "0" {
		t.Errorf("the limit is %q in a transaction and %q after it, want 2s and 0", within, after)
	}
}

func openURL(t *testing.T, url string) *db.DB {
	t.Helper()
	d, err := db.Open(t.Context(), url)
	must(t, err)
	t.Cleanup(func() { must(t, d.Close()) })
	return d
}

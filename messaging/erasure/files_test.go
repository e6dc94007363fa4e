package erasure_test

import (
	"database/sql"
	"strings"
	"testing"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

// After an erasure, neither SQLite's file nor its write-ahead log contains the erased data, and the keys can still be replayed.
// Rules: M176.
func TestErase_NothingStaysInTheFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.SQLite(t))
	w.history(t, moussa, "moussa@example.com")
	all := []string{awa, awaEmail, "Tombouctou"}
	keyed := sms("+"+awa, strings.Repeat("Tombouctou ", 90))
	keyed.IdempotencyKey = "again"
	id := w.Submit(t, keyed).Message.ID
	w.history(t, awa, awaEmail)
	if found := dbtest.FilesWith(t, w.DB, all...); len(found) < len(all) {
		t.Fatalf("only %q before", found)
	}
	w.erase(t, awa)
	w.erase(t, awaEmail)
	if found := dbtest.FilesWith(t, w.DB, all...); len(found) > 0 {
		t.Errorf("after the erasures the files have %q", found)
	}
	if again := w.Submit(t, keyed); again.Message.ID != id || !again.Deduplicated {
		t.Errorf("the key's replay is %s, replay %v, want %s", again.Message.ID, again.Deduplicated, id)
	}
}

// A reader of the earlier state keeps the log. The erasure does not finish before the reader ends.
// Rules: M176.
func TestErase_WaitsForReadersOfTheFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.SQLite(t))
	w.history(t, awa, awaEmail)
	other, err := sql.Open("sqlite", "file:"+dbtest.Path(t, w.DB))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	reader, err := other.BeginTx(t.Context(), &sql.TxOptions{ReadOnly: true})
	if err == nil {
		_, err = reader.ExecContext(t.Context(), `SELECT count(*) FROM messages`)
	}
	if err != nil {
		t.Fatal(err)
	}
	p, err := w.Erasure.Person(t.Context(), w.Account.ID, awa)
	if err != nil {
		t.Fatal(err)
	}
	e, err := w.Erasure.Erase(t.Context(), p)
	if err != nil || e.Done() {
		t.Fatalf("%+v, %v; want it to wait for the reader", e, err)
	}
	if err := w.DB.Write(t.Context(), func(tx *db.Tx) error { _, err := tx.Exec(`UPDATE accounts SET name = name`); return err }); err != nil {
		t.Errorf("a write beside the reader: %v", err)
	}
	if err := reader.Rollback(); err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(time.Second)
	w.run(t)
	w.WaitForInt(t, 1, `SELECT count(*) FROM person_erasures WHERE finished_at IS NOT NULL`)
	if found := dbtest.FilesWith(t, w.DB, awa); len(found) > 0 {
		t.Errorf("the files have %q", found)
	}
}

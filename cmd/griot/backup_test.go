package main

import (
	"testing"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/test/system/systemtest"
)

// A database whose nodes can't be read is not marked, because a server might use it.
func TestNoNodes_AnErrorIsNoAnswer(t *testing.T) {
	t.Parallel()
	d := dbtest.Postgres(t)
	if err := noNodes(t.Context(), d); err != nil {
		t.Errorf("without nodes: %v", err)
	}
	exec := func(text string) {
		t.Helper()
		systemtest.Must(t, d.Write(t.Context(), func(tx *db.Tx) error { _, err := tx.Exec(text); return err }))
	}
	exec(`ALTER TABLE nodes RENAME TO no_nodes`)
	if err := noNodes(t.Context(), d); err == nil {
		t.Error("nodes that can't be read were taken for none")
	}
}

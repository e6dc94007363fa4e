package main

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"example.com/griot/internal/db"
)

// A backup without messages that existed at its start is an error.
func TestBackups_OneThatLacksMessagesIsAnError(t *testing.T) {
	lacks := filepath.Join(t.TempDir(), "program") // its backup is an empty database
	must(t, os.WriteFile(lacks, []byte("#!/bin/sh\nmkdir \"$2\" && cp \"$4/empty.db\" \"$2/griot.db\"\n"), 0o700))
	folder := filepath.Join(t.TempDir(), "data")
	must(t, os.Mkdir(folder, 0o700))
	for name, rows := range map[string]int{"griot.db": 1, "empty.db": 0} {
		d, err := db.Open(t.Context(), "sqlite:"+filepath.Join(folder, name))
		must(t, err)
		must(t, d.Write(t.Context(), func(tx *db.Tx) error {
			_, err := tx.Exec(`CREATE TABLE messages (id INTEGER)`)
			for range rows {
				if err == nil {
					_, err = tx.Exec(`INSERT INTO messages (id) VALUES (1)`)
				}
			}
			return err
		}))
		must(t, d.Close())
	}
	if err := (&backupSeries{program: lacks, folder: folder}).one(t.Context()); !errors.Is(err, errStored) {
		t.Errorf("a backup without the messages: got %v, want %v", err, errStored)
	}
}

package dbtest

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"example.com/griot/internal/db"
)

// Path returns the file of a SQLite database.
func Path(t testing.TB, d *db.DB) (file string) {
	t.Helper()
	if _, err := d.Read(t.Context()).Row(`SELECT file FROM pragma_database_list WHERE name = 'main'`).Scan(&file); err != nil {
		t.Fatal(err)
	}
	return file
}

// FilesWith returns the files of a SQLite database that contain one of the texts, ignoring case.
func FilesWith(t testing.TB, d *db.DB, texts ...string) (found []string) {
	t.Helper()
	path := Path(t, d)
	for _, suffix := range []string{"", "-wal", "-journal"} {
		b, err := os.ReadFile(path + suffix)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		b = bytes.ToLower(b)
		for _, text := range texts {
			if bytes.Contains(b, []byte(strings.ToLower(text))) {
				found = append(found, "database"+suffix+": "+text)
			}
		}
	}
	return found
}

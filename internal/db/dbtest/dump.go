package dbtest

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// Dump is all that a PostgreSQL database holds, as pg_dump writes it.
func Dump(t testing.TB, url string) string {
	t.Helper()
	bin, err := findPostgres()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(bin, "pg_dump")
	if _, err := exec.LookPath(program); err != nil {
		program = "pg_dump" // the server's programs may have a folder of links, without the clients'
	}
	out, err := exec.CommandContext(t.Context(), program, "--inserts", "--dbname="+url).Output()
	if err != nil {
		t.Fatalf("pg_dump: %v", err)
	}
	return string(out)
}

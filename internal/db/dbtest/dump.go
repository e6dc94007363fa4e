package dbtest

import (
	"os/exec"
	"testing"
)

// Dump is all that a PostgreSQL database holds, as pg_dump writes it.
func Dump(t testing.TB, url string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), Tool(t, "pg_dump"), "--inserts", "--dbname="+url).Output()
	if err != nil {
		t.Fatalf("pg_dump: %v", err)
	}
	return string(out)
}

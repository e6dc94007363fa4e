package dbtest

import (
	"os/exec"
	"testing"
)

// Dump returns the whole content of a PostgreSQL database in the format of pg_dump.
func Dump(t testing.TB, url string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), Tool(t, "pg_dump"), "--inserts", "--dbname="+url).Output()
	if err != nil {
		t.Fatalf("pg_dump: %v", err)
	}
	return string(out)
}

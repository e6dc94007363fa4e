package dbtest

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// Tool returns the path of a PostgreSQL client program.
func Tool(t testing.TB, name string) string {
	t.Helper()
	bin, err := findPostgres()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(bin, name)
	if _, err := exec.LookPath(program); err != nil {
		return name // the server's programs can be in a directory of links without the clients'
	}
	return program
}

// Copy dumps a PostgreSQL database that is in use, as docs/operating/backup.md describes.
func Copy(t testing.TB, url, to string) {
	t.Helper()
	execTool(t, Tool(t, "pg_dump"), "--format=custom", "--file="+to, "--dbname="+url)
}

// Restored creates a database from a dump of [Copy] and returns its address.
func Restored(t testing.TB, from string) string {
	t.Helper()
	url := PostgresURL(t)
	execTool(t, Tool(t, "pg_restore"), "--no-owner", "--exit-on-error", "--dbname="+url, from)
	return url
}

func execTool(t testing.TB, program string, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), program, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", program, err, out)
	}
}

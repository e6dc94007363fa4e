package arch_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Each program that links SQLite links the version of modernc.org/libc that the go.mod file of modernc.org/sqlite names, as
// its documentation requires ("Fragile modernc.org/libc dependency"). Another dependency, such as goose, can require a newer
// version, which go.mod then excludes.
func TestSQLite_HasTheLibcThatItWasTestedWith(t *testing.T) {
	const sqlite, libc = "modernc.org/sqlite", "modernc.org/libc"
	for _, dir := range []string{".", "griot-whatsapp"} {
		linked := map[string][]string{} // version and go.mod file
		for line := range strings.Lines(goCommand(t, filepath.Join(root, dir), "off", "list", "-deps", "-f", "{{with .Module}}{{.Path}} {{.Version}} {{.GoMod}}{{end}}", "./...")) {
			if fields := strings.Fields(line); len(fields) == 3 {
				linked[fields[0]] = fields[1:]
			}
		}
		if linked[sqlite] == nil || linked[libc] == nil {
			t.Fatalf("%s links no SQLite: does this test still find it?", dir)
		}
		required, err := os.ReadFile(linked[sqlite][1])
		if err != nil {
			t.Fatal(err)
		}
		want := regexp.MustCompile(`(?m)^\s*` + regexp.QuoteMeta(libc) + `\s+(\S+)`).FindStringSubmatch(string(required))
		if want == nil {
			t.Fatalf("%s %s requires no %s", sqlite, linked[sqlite][0], libc)
		}
		if got := linked[libc][0]; got != want[1] {
			t.Errorf("%s links %s %s, and SQLite requires %s: exclude the newer one", dir, libc, got, want[1])
		}
	}
}

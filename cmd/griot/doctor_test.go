package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"example.com/griot/internal/config"
)

// docs/operating/doctor.md has every check, in the order of the report.
func TestDoctor_IsDocumented(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("../../docs/operating/doctor.md")
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	for _, c := range (&examination{cfg: config.Default()}).checks(nil) {
		fmt.Fprintf(&table, "| `%s` | %s |\n", c.Name, c.About)
	}
	if !strings.Contains(string(b), "|---|---|\n"+table.String()+"\n") {
		t.Errorf("docs/operating/doctor.md has another table than:\n%s", table.String())
	}
}

package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"example.com/griot/internal/config"
	"example.com/griot/internal/doctor"
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

// The reason is the one that people and applications get from /authorize.
func TestDoctor_NoLoginNumber(t *testing.T) {
	t.Parallel()
	got := (&examination{cfg: config.Default()}).receivers(t.Context())
	if len(got) != 1 || got[0].Status != doctor.Warning || got[0].Text != "no login number is configured, so no one can sign in by message" || got[0].Hint != "add a number and its gateway to auth.receivers" {
		t.Errorf("findings %+v", got)
	}
}

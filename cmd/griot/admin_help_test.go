package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

var record = flag.Bool("record", false, "write the files of testdata/admin instead of comparing with them")

// TestAdmin_Help compares the help of every `griot admin` command with testdata/admin/help.txt. A commit that changes
// the file must describe the change. `go test -run '^TestAdmin_Help$' ./cmd/griot -record` writes it again.
func TestAdmin_Help(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	var write func(*cobra.Command)
	write = func(c *cobra.Command) {
		fmt.Fprintf(&out, "== %s\n%s\n\n%s\n", c.CommandPath(), c.Short, strings.TrimSpace(c.Long+"\n\n"+c.UsageString()))
		for _, below := range c.Commands() {
			write(below)
		}
	}
	admin, _, err := root().Find([]string{"admin"})
	if err != nil {
		t.Fatal(err)
	}
	write(admin)
	compareRecorded(t, "testdata/admin/help.txt", out.String())
}

// compareRecorded compares a text with a file, or writes the file with -record.
func compareRecorded(t *testing.T, file, text string) {
	t.Helper()
	if *record {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	wanted, got := strings.Split(string(want), "\n"), strings.Split(text, "\n")
	for i := range max(len(wanted), len(got)) {
		if i >= len(wanted) || i >= len(got) || wanted[i] != got[i] {
			t.Fatalf("%s: line %d is %q, want %q", file, i+1, got[min(i, len(got)-1)], wanted[min(i, len(wanted)-1)])
		}
	}
}

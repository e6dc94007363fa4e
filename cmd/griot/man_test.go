package main

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// The manual page has every command with its flags, and groff finds nothing wrong with it.
func TestMan(t *testing.T) {
	t.Parallel()
	o := &terminal{t: t, dir: t.TempDir()}
	page := o.run(0, "", "man")
	groff := exec.CommandContext(t.Context(), "groff", "-man", "-Tutf8", "-wall", "-P-c", "-P-b", "-P-o", "-P-u")
	groff.Stdin = strings.NewReader(page)
	var warnings strings.Builder
	groff.Stderr = &warnings
	out, err := groff.Output()
	if err != nil || warnings.Len() > 0 {
		t.Fatalf("%v\n%s", err, &warnings)
	}
	text := strings.Join(strings.Fields(strings.ReplaceAll(string(out), "‐", "-")), " ")
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		for _, below := range c.Commands() {
			if below.Runnable() && !below.Hidden && !strings.Contains(text, below.CommandPath()) {
				t.Errorf("the page does not have %s", below.CommandPath())
			}
			walk(below)
		}
	}
	walk(root())
	for _, want := range []string{"EXIT STATUS", "--idempotency-key", "/etc/griot/griot.yaml"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not have %q:\n%.500s", want, text)
		}
	}
}

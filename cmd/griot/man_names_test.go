package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// The manual page has every command.
func TestMan_NamesEachCommand(t *testing.T) {
	t.Parallel()
	var page bytes.Buffer
	c := root()
	c.SetArgs([]string{"man"})
	c.SetOut(&page)
	if err := run(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(page.String(), `\-`, "-")
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
}

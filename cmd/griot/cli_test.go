package main

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/griot/cmd/griot/cli"
	"example.com/griot/cmd/griot/exit"
)

// docs/cli.md has every flag and every exit code, and the help of each command has examples with existing flags.
func TestCLI_Docs(t *testing.T) {
	b, err := os.ReadFile("../../docs/cli.md")
	if err != nil {
		t.Fatal(err)
	}
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Name != "help" && !bytes.Contains(b, []byte("`--"+f.Name)) {
				t.Errorf("%s --%s is not in docs/cli.md", c.CommandPath(), f.Name)
			}
			if strings.Contains(strings.ToLower(f.Name), "key") && f.Name != "idempotency-key" {
				t.Errorf("%s has --%s: everyone on a machine can read arguments", c.CommandPath(), f.Name)
			}
		})
		if !bytes.Contains(b, []byte("griot "+c.CommandPath())) {
			t.Errorf("griot %s is not in docs/cli.md", c.CommandPath())
		}
		if c.Example == "" {
			t.Errorf("the help of %s has no example", c.CommandPath())
		}
		for line := range strings.Lines(c.Example) {
			checkExample(t, line)
		}
		for _, below := range c.Commands() {
			visit(below)
		}
	}
	commands := cli.Commands(&cli.Options{})
	if len(commands) != 12 {
		t.Errorf("%d commands, want 12", len(commands))
	}
	for _, c := range commands {
		visit(c)
	}
	for _, code := range []int{0, 1, exit.CodeUsage, exit.CodeFailed, exit.CodePending, exit.CodeInterrupted} {
		if !bytes.Contains(b, fmt.Appendf(nil, "| %d |", code)) {
			t.Errorf("exit code %d is not in docs/cli.md", code)
		}
	}
}

// checkExample fails the test if a line in a help is not a command with existing flags.
func checkExample(t *testing.T, line string) {
	t.Helper()
	line, _, _ = strings.Cut(strings.TrimSpace(line), " | ")
	words := regexp.MustCompile(`"[^"]*"|[^\s"]+`).FindAllString(line, -1)
	if i := slices.IndexFunc(words, func(w string) bool { return w == "<" || w == ">" }); i >= 0 {
		words = words[:i]
	}
	if len(words) < 2 || words[0] != "griot" {
		t.Errorf("%q is no command of griot", line)
		return
	}
	c, rest, err := root().Find(words[1:])
	if err == nil {
		err = c.ParseFlags(rest)
	}
	if err == nil {
		err = c.ValidateArgs(c.Flags().Args())
	}
	if err != nil {
		t.Errorf("%q: %v", line, err)
	}
}

// Each command that griot --help lists has a short description without a period, and belongs to a group.
func TestHelp_IsShort(t *testing.T) {
	c := root()
	for _, below := range c.Commands() {
		if below.Hidden {
			continue
		}
		if n := len([]rune(below.Short)); n == 0 || n > 60 || strings.ContainsAny(below.Short, ".:;") && below.Name() != "serve" {
			t.Errorf("griot %s: %q has %d characters or punctuation, want a phrase of at most 60", below.Name(), below.Short, n)
		}
		if below.GroupID == "" && below.Name() != "version" {
			t.Errorf("griot %s is in no group", below.Name())
		}
	}
}

package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func manCommand() *cobra.Command {
	return &cobra.Command{
		Use: "man", Short: "Print the manual page, for man(1)", Hidden: true, // for packages
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return writeMan(c.OutOrStdout(), c.Root()) },
	}
}

// writeMan writes one page with all commands, using the macros of man(7).
func writeMan(w io.Writer, root *cobra.Command) error {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH GRIOT 1 \"\" %s \"User commands\"\n", roffArgument("griot "+version))
	fmt.Fprintf(&b, ".SH NAME\ngriot \\- %s\n", roff(root.Short))
	b.WriteString(".SH SYNOPSIS\n.B griot\n.I COMMAND\n.RI [ FLAGS ]\n")
	fmt.Fprintf(&b, ".SH DESCRIPTION\n%s\n", roff(root.Long))
	b.WriteString(".SH COMMANDS\n")
	manOf(&b, root)
	b.WriteString(".SH EXIT STATUS\n0: the command succeeded. 1: it failed. 2: invalid usage, and nothing was changed. See docs/cli.md for the other codes.\n")
	b.WriteString(".SH FILES\n.TP\n.I /etc/griot/griot.yaml\nThe configuration of griot serve.\n.TP\n.I ~/.config/griot/profiles\nThe profiles of griot configure.\n")
	b.WriteString(".SH SEE ALSO\nThe documentation is part of the program. griot dev and griot serve provide it at /docs.\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// manOf writes the commands below a command.
func manOf(b *strings.Builder, c *cobra.Command) {
	for _, below := range c.Commands() {
		if below.Hidden || below.Name() == "help" {
			continue
		}
		if below.Runnable() {
			fmt.Fprintf(b, ".SS %s\n%s.\n", roffArgument(below.UseLine()), roff(below.Short))
			below.NonInheritedFlags().VisitAll(func(f *pflag.Flag) { manFlag(b, f) })
			below.InheritedFlags().VisitAll(func(f *pflag.Flag) { manFlag(b, f) })
			if below.Example != "" {
				fmt.Fprintf(b, ".PP\n.nf\n%s\n.fi\n", roff(strings.TrimRight(below.Example, "\n")))
			}
		}
		manOf(b, below)
	}
}

func manFlag(b *strings.Builder, f *pflag.Flag) {
	if f.Hidden || f.Name == "help" {
		return
	}
	value, usage := pflag.UnquoteUsage(f)
	fmt.Fprintf(b, ".TP\n\\fB%s\\fR", roff("--"+f.Name))
	if value != "" {
		fmt.Fprintf(b, " \\fI%s\\fR", roff(value))
	}
	fmt.Fprintf(b, "\n%s\n", roff(usage))
}

// roff escapes a text so that it contains no request or escape.
func roff(text string) string {
	lines := strings.Split(strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}

// roffArgument returns a text as one argument of a macro.
func roffArgument(text string) string { return `"` + strings.ReplaceAll(roff(text), `"`, `\(dq`) + `"` }

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"example.com/griot/cmd/griot/console"
	"example.com/griot/cmd/griot/exit"
)

// adminOptions are the flags that all of admin's commands have.
type adminOptions struct {
	config string
	data   string
	json   bool
}

func adminCommand() *cobra.Command {
	o := &adminOptions{}
	c := group("admin", "Manage a deployment: through its running server, or on its database when none runs",
		adminTenants(o), adminClients(o), adminInvitations(o), adminPeople(o), adminKeys(o), adminEvents(o),
		adminAccounts(o), adminAPIKeys(o), adminProjects(o), adminMembers(o), adminGateways(o), adminSenders(o), adminPlans(o), adminWebhooks(o), adminOTP(o), adminAudit(o), adminMessages(o), adminHealth(o), adminOpen(o),
		adminMasterKey(o), adminSending(o, "pause", "Send nothing from now on: messages are accepted, and wait"), adminSending(o, "resume", "Send again what waits: after a pause, or a restore"))
	f := c.PersistentFlags()
	f.StringVar(&o.config, "config", "", "configuration file of griot serve (griot.yaml where there is one)")
	f.StringVar(&o.data, "data", "", "folder of a griot dev, instead of a configuration")
	f.BoolVar(&o.json, "json", false, "print JSON")
	return c
}

// group returns a command that only has subcommands.
func group(name, short string, below ...*cobra.Command) *cobra.Command {
	var names []string
	for _, c := range below {
		names = append(names, c.Name())
	}
	c := &cobra.Command{
		Use: name, Short: short, Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return exit.Usage("%s needs one of: %s", c.CommandPath(), strings.Join(names, ", "))
		},
	}
	c.AddCommand(below...)
	return c
}

// exactlyOne requires one argument, which its error names.
func exactlyOne(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != 1 {
			return fmt.Errorf("%s needs exactly one %s", c.CommandPath(), what)
		}
		return nil
	}
}

// runVerb runs a verb, and prints its result as JSON or as show does.
func runVerb[Out any](c *cobra.Command, o *adminOptions, verb string, in any, show func(io.Writer, Out)) error {
	_, err := verbResult(c, o, verb, in, show)
	return err
}

// callVerb runs a verb, and returns its result, also as it came.
func callVerb[Out any](ctx context.Context, o *adminOptions, verb string, in any) (out Out, raw json.RawMessage, err error) {
	body, err := json.Marshal(in)
	if err != nil {
		return out, nil, err
	}
	if raw, err = o.call(ctx, verb, body); err != nil {
		return out, nil, oneLine(err)
	}
	if err := json.Unmarshal(raw, &out); err != nil {
		return out, nil, fmt.Errorf("the server's answer: %w", err)
	}
	return out, raw, nil
}

// verbResult does what runVerb does, and returns the result too.
func verbResult[Out any](c *cobra.Command, o *adminOptions, verb string, in any, show func(io.Writer, Out)) (Out, error) {
	out, raw, err := callVerb[Out](c.Context(), o, verb, in)
	if err != nil {
		return out, err
	}
	return out, showResult(c, o, raw, func(w io.Writer) { show(w, out) })
}

// showResult prints a verb's result: as it came with --json, else by show.
func showResult(c *cobra.Command, o *adminOptions, raw json.RawMessage, show func(io.Writer)) error {
	if !o.json {
		return console.Columns(c.OutOrStdout(), show)
	}
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		return err
	}
	_, err := fmt.Fprintf(c.OutOrStdout(), "%s\n", bytes.TrimSpace(b.Bytes()))
	return err
}

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	authverbs "example.com/griot/auth/verbs"
	"example.com/griot/cmd/griot/console"
	"example.com/griot/cmd/griot/exit"
	"example.com/griot/internal/verb"
	messagingverbs "example.com/griot/messaging/verbs"
)

// adminOptions are the flags of all admin commands.
type adminOptions struct {
	config string
	data   string
	json   bool
}

// adminGroups returns the admin commands that have subcommands.
func adminGroups() [][2]string {
	return [][2]string{
		{"tenants", "Organizations whose applications sign people in"},
		{"tenants webhook", "A tenant's webhook endpoint for login events"},
		{"tenants domains", "Domains of a tenant for email addresses"},
		{"clients", "Applications that sign people in"},
		{"invitations", "Keys to tenants' dashboards"},
		{"people", "People who sign in, or send or receive messages"},
		{"people ids", "WhatsApp IDs and the phone numbers that they belong to"},
		{"keys", "Keys that sign tokens"},
		{"accounts", "Accounts of developers who send messages"},
		{"api-keys", "API keys of accounts"},
		{"projects", "Projects of an account, each with its own keys"},
		{"members", "Developers who work on an account"},
		{"gateways", "Connections to providers, configured or stored"},
		{"senders", "Numbers and addresses that messages come from"},
		{"requests", "Requests of accounts to their operator"},
		{"plans", "Plans and their limits"},
		{"webhooks", "Webhook endpoints of accounts, and their events"},
		{"otp", "One-time codes: traffic and blocked prefixes"},
		{"messages", "Messages of all accounts"},
		{"master-key", "The master key that seals all secrets"},
	}
}

// adminCommand creates a command for each verb that has one. Commands that need more than one call are written by hand.
func adminCommand() *cobra.Command {
	o := &adminOptions{}
	c := group("admin", "Manage accounts, senders, gateways, and tenants")
	c.Long = "Manage a deployment through its running server, or in its database when no server runs."
	f := c.PersistentFlags()
	f.StringVar(&o.config, "config", "", "configuration file of griot serve (default: griot.yaml, if it exists)")
	f.StringVar(&o.data, "data", "", "directory of griot dev, instead of a configuration")
	f.BoolVar(&o.json, "json", false, "print JSON")
	groups := map[string]*cobra.Command{"": c}
	add := func(path string, below *cobra.Command) {
		groups[path[:max(strings.LastIndex(path, " "), 0)]].AddCommand(below)
	}
	for _, g := range adminGroups() {
		groups[g[0]] = group(g[0][strings.LastIndex(g[0], " ")+1:], g[1])
		add(g[0], groups[g[0]])
	}
	special := map[string]func(*adminOptions, *verbCommand){
		"accounts list": findsAccounts, "audit": followsAudit, "gateways send-test": failsAsItsMessage, "gateways test": failsAsItsTest, "master-key rotate": awaitsRotation, "senders list": listsOfAccount,
		"senders remove": cancelsOrReroutes, "senders warm-up": endsWarmUp,
	}
	for _, v := range slices.Concat(authverbs.Table(), messagingverbs.Table(), rotationTable()) {
		if v.Command == "" {
			continue
		}
		made := newVerbCommand(o, v)
		if change := special[v.Command]; change != nil {
			change(o, made)
		}
		add(v.Command, made.Command)
	}
	groups["people"].AddCommand(peopleExport(o), peopleErase(o))
	groups["senders"].AddCommand(sendersPair(o))
	c.AddCommand(adminOpen(o))
	return c
}

// group returns a command that only has subcommands.
func group(name, short string, below ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{
		Use: name, Short: short, Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			var names []string
			for _, below := range c.Commands() {
				names = append(names, below.Name())
			}
			return exit.Usage("%s needs one of: %s", c.CommandPath(), strings.Join(names, ", "))
		},
	}
	c.AddCommand(below...)
	return c
}

// exactlyOne requires one argument, whose name is in its error.
func exactlyOne(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != 1 {
			return fmt.Errorf("%s needs exactly one %s", c.CommandPath(), what)
		}
		return nil
	}
}

// callVerb runs a verb, and returns its result both decoded and raw.
func callVerb[Out any](ctx context.Context, o *adminOptions, name string, in any) (out Out, raw json.RawMessage, err error) {
	body, err := json.Marshal(in)
	if err != nil {
		return out, nil, err
	}
	if raw, err = o.call(ctx, name, body); err != nil {
		return out, nil, oneLine(err)
	}
	if err := json.Unmarshal(raw, &out); err != nil {
		return out, nil, fmt.Errorf("the server's response: %w", err)
	}
	return out, raw, nil
}

// showResult prints a verb's result: unchanged with --json, otherwise as tables.
func showResult(c *cobra.Command, o *adminOptions, of verb.Shape, raw json.RawMessage) error {
	if o.json {
		var b bytes.Buffer
		if err := json.Indent(&b, raw, "", "  "); err != nil {
			return err
		}
		_, err := fmt.Fprintf(c.OutOrStdout(), "%s\n", bytes.TrimSpace(b.Bytes()))
		return err
	}
	result, err := of.Read(raw)
	if err != nil {
		return err
	}
	return console.Columns(c.OutOrStdout(), func(w io.Writer) {
		for i, table := range verb.Tables(result) {
			if i > 0 {
				_, _ = fmt.Fprintln(w) // the columns of two tables are not aligned
			}
			for _, row := range table {
				console.Row(w, row...)
			}
		}
	})
}

// confirmed asks for confirmation of an irreversible action on a terminal. Elsewhere, --yes confirms it.
func confirmed(c *cobra.Command, yes bool, what string) error {
	if yes {
		return nil
	}
	if !console.AsksPeople(c.InOrStdin()) {
		return exit.Usage("%s can't be undone: confirm with --yes", what)
	}
	_, _ = fmt.Fprintf(c.ErrOrStderr(), "%s can't be undone. Continue? [yes/no] ", what)
	answer, err := console.Answer(c.InOrStdin())
	if answer != "yes" {
		return exit.Usage("nothing was changed")
	}
	return err
}

// deleting adds --yes to a command that deletes, and makes it ask before it runs.
func deleting(c *cobra.Command, what func(args []string) string) *cobra.Command {
	yes, run := false, c.RunE
	c.Flags().BoolVar(&yes, "yes", false, "skip the confirmation; this can't be undone")
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := confirmed(c, yes, what(args)); err != nil {
			return err
		}
		return run(c, args)
	}
	return c
}

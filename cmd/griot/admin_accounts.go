package main

import (
	"io"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"example.com/griot/cmd/griot/console"
	"example.com/griot/cmd/griot/exit"
	messagingadmin "example.com/griot/messaging/admin"
)

func adminAccounts(o *adminOptions) *cobra.Command {
	return group("accounts", "Developers' accounts, which send messages", accountsCreate(o), accountsList(o), accountsShow(o), accountsSet(o), accountsReopen(o), accountsDelete(o))
}

const anAccount = "ACCOUNT: an id, or the owner's e-mail address"

func showAccounts(w io.Writer, accounts []messagingadmin.Account) {
	console.Row(w, "ACCOUNT", "NAME", "EMAIL", "PLAN", "IN EFFECT", "CREATED")
	for _, a := range accounts {
		console.Row(w, a.ID, a.Name, a.Email, a.Plan, a.Effective, a.CreatedAt)
	}
}

func showAccount(w io.Writer, a messagingadmin.Account) {
	console.Row(w, "account", a.ID)
	console.Row(w, "name", a.Name)
	console.Row(w, "email", a.Email)
	console.Row(w, "language", a.Lang)
	console.Row(w, "plan", a.Plan)
	console.Row(w, "in effect", a.Effective)
	console.Row(w, "plan expires", optionalTime(a.PlanExpiresAt))
	console.Row(w, "trial ends", optionalTime(a.TrialEndsAt))
	console.Row(w, "recipient cap", most(a.RecipientCap))
	fallback := ""
	if a.FallbackAfter != nil {
		fallback = (time.Duration(*a.FallbackAfter) * time.Second).String()
	}
	console.Row(w, "fallback", fallback)
	url := ""
	if a.WebhookURL != nil {
		url = *a.WebhookURL
	}
	console.Row(w, "webhook", url)
	console.Row(w, "created", a.CreatedAt)
	if a.ClosedAt != nil {
		console.Row(w, "closed", optionalTime(a.ClosedAt))
	}
}

// most returns a limit as text; "" for none, which is shown as a dash.
func most(n *int64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatInt(*n, 10)
}

func accountsCreate(o *adminOptions) *cobra.Command {
	in := messagingadmin.AccountInput{}
	c := &cobra.Command{
		Use: "create --name NAME --email ADDRESS [--lang fr|en] [--plan PLAN]", Short: "Make an account", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return runVerb(c, o, "accounts.create", in, showAccount) },
	}
	f := c.Flags()
	f.StringVar(&in.Name, "name", "", "as people read it")
	f.StringVar(&in.Email, "email", "", "the owner's, with which they sign in to the dashboard")
	f.StringVar(&in.Lang, "lang", "fr", "in which Griot writes in the account's name: fr or en")
	f.StringVar(&in.Plan, "plan", "free", "as plans list shows them")
	f.Int64Var(&in.RecipientCap, "recipient-cap", 0, "messages a recipient and day (0: as the plan says)")
	required(c, "name", "email")
	return c
}

func accountsList(o *adminOptions) *cobra.Command {
	in := messagingadmin.AccountSearch{Limit: 1000}
	c := &cobra.Command{
		Use: "list [--find TEXT]", Short: "List the accounts", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if in.Text == "" {
				return runVerb(c, o, "accounts.list", messagingadmin.Nothing{}, showAccounts)
			}
			return runVerb(c, o, "accounts.find", in, func(w io.Writer, p messagingadmin.AccountPage) { showAccounts(w, p.Accounts) })
		},
	}
	c.Flags().StringVar(&in.Text, "find", "", "an id, or a part of a name or of an e-mail address: the newest 1000 first")
	return c
}

func accountsShow(o *adminOptions) *cobra.Command {
	return &cobra.Command{
		Use: "show ACCOUNT", Short: "Show an account", Args: exactlyOne(anAccount),
		RunE: func(c *cobra.Command, args []string) error {
			return runVerb(c, o, "accounts.show", messagingadmin.OfAccount{Account: args[0]}, showAccount)
		},
	}
}

func accountsSet(o *adminOptions) *cobra.Command {
	var name, email, lang, plan, expires, trial string
	var recipientCap int64
	var fallback time.Duration
	c := &cobra.Command{Use: "set ACCOUNT [flags]", Short: "Change an account", Args: exactlyOne(anAccount)}
	f := c.Flags()
	f.StringVar(&name, "name", "", "as people read it")
	f.StringVar(&email, "email", "", "the owner's, with which they sign in to the dashboard")
	f.StringVar(&lang, "lang", "", "in which Griot writes in the account's name: fr or en")
	f.StringVar(&plan, "plan", "", "as plans list shows them")
	f.StringVar(&expires, "plan-expires", "", "when the plan falls back to free: a date, a time, or none")
	f.StringVar(&trial, "trial-ends", "", "until when the account tries pro: a date, a time, or none")
	f.Int64Var(&recipientCap, "recipient-cap", 0, "messages a recipient and day (0: as the plan says)")
	f.DurationVar(&fallback, "fallback-after", 0, "how long auto waits for a delivery before the next channel (0: for ever)")
	c.RunE = func(c *cobra.Command, args []string) (err error) {
		in := messagingadmin.AccountChange{Account: args[0]}
		seconds := int64(fallback / time.Second)
		given(c, "fallback-after", &seconds, &in.FallbackAfter)
		given(c, "name", &name, &in.Name)
		given(c, "email", &email, &in.Email)
		given(c, "lang", &lang, &in.Lang)
		given(c, "plan", &plan, &in.Plan)
		given(c, "recipient-cap", &recipientCap, &in.RecipientCap)
		if in.PlanExpiresAt, err = givenTime(c, "plan-expires", expires); err != nil {
			return err
		}
		if in.TrialEndsAt, err = givenTime(c, "trial-ends", trial); err != nil {
			return err
		}
		return runVerb(c, o, "accounts.set", in, showAccount)
	}
	return c
}

// given sets to to the flag's value, if the flag was given.
func given[V any](c *cobra.Command, flag string, value *V, to **V) {
	if c.Flags().Changed(flag) {
		*to = value
	}
}

// givenTime reads a flag that is a date, which is its beginning in UTC, or a time. For none it returns the zero time; for a
// flag that was not given, nil.
func givenTime(c *cobra.Command, flag, value string) (*time.Time, error) {
	if !c.Flags().Changed(flag) {
		return nil, nil //nolint:nilnil // a flag that was not given
	}
	if value == "none" {
		return &time.Time{}, nil
	}
	for _, form := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(form, value); err == nil {
			return &t, nil
		}
	}
	return nil, exit.Usage("--%s is a date (2026-12-31), a time (2026-12-31T18:00:00Z) or none", flag)
}

func accountsReopen(o *adminOptions) *cobra.Command {
	return &cobra.Command{
		Use: "reopen ACCOUNT", Short: "Open an account again that its owner has closed, within 30 days", Args: exactlyOne(anAccount),
		RunE: func(c *cobra.Command, args []string) error {
			return runVerb(c, o, "accounts.reopen", messagingadmin.OfAccount{Account: args[0]}, showAccount)
		},
	}
}

package main

import (
	"io"

	"github.com/spf13/cobra"

	"example.com/griot/cmd/griot/console"
	messagingadmin "example.com/griot/messaging/admin"
)

func adminPlans(o *adminOptions) *cobra.Command {
	return group("plans", "How much accounts may do", plansList(o), plansSet(o))
}

func showPlans(w io.Writer, plans []messagingadmin.Plan) {
	console.Row(w, "PLAN", "MESSAGES/DAY", "REQUESTS/SECOND", "INBOX", "RECIPIENT CAP")
	for _, p := range plans {
		console.Row(w, p.Name, most(p.DailyLimit), most(p.Rate), p.Inbox, most(p.RecipientCap))
	}
}

func plansList(o *adminOptions) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the plans, the smallest first; a dash is no limit", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return runVerb(c, o, "plans.list", messagingadmin.Nothing{}, showPlans)
		},
	}
}

func plansSet(o *adminOptions) *cobra.Command {
	var daily, rate, recipientCap int64
	inbox := false
	c := &cobra.Command{
		Use: "set PLAN [flags]", Short: "Change a plan, for every account that is on it; 0 is no limit", Args: exactlyOne("PLAN, as list shows it"),
		RunE: func(c *cobra.Command, args []string) error {
			in := messagingadmin.PlanInput{Name: args[0]}
			given(c, "daily-limit", &daily, &in.DailyLimit)
			given(c, "rate", &rate, &in.Rate)
			given(c, "inbox", &inbox, &in.Inbox)
			given(c, "recipient-cap", &recipientCap, &in.RecipientCap)
			return runVerb(c, o, "plans.set", in, func(w io.Writer, p messagingadmin.Plan) { showPlans(w, []messagingadmin.Plan{p}) })
		},
	}
	f := c.Flags()
	f.Int64Var(&daily, "daily-limit", 0, "messages a UTC day")
	f.Int64Var(&rate, "rate", 0, "requests a second and key, twice that in a burst")
	f.BoolVar(&inbox, "inbox", false, "the inbox and the assistant endpoint")
	f.Int64Var(&recipientCap, "recipient-cap", 0, "messages a recipient and day, for accounts without a cap of their own")
	return c
}

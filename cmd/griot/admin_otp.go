package main

import (
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"example.com/griot/cmd/griot/console"
	messagingadmin "example.com/griot/messaging/admin"
)

const defaultOTP = 20

func adminOTP(o *adminOptions) *cobra.Command {
	in := messagingadmin.OTPInput{}
	list := &cobra.Command{
		Use: "list", Short: "Show where codes went in 24 hours, how many came back, and what is held back", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return runVerb(c, o, "otp.list", in, showOTP) },
	}
	list.Flags().IntVar(&in.Limit, "limit", defaultOTP, "how many lines of each list")
	what := messagingadmin.OTPUnblock{}
	lift := &cobra.Command{
		Use: "lift AREA [--account ID]", Short: "Let codes go again to a prefix or country whose hour is used up; with an account, to its share of it, or to a prefix that is held back",
		Args: exactlyOne("AREA: a prefix, or a country's calling code"),
		RunE: func(c *cobra.Command, args []string) error {
			what.Area = args[0]
			return runVerb(c, o, "otp.lift", what, func(w io.Writer, l messagingadmin.OTPUnblocked) { console.Row(w, "lifted", l.Area) })
		},
	}
	lift.Flags().StringVar(&what.AccountID, "account", "", "whose codes")
	return group("otp", "One-time codes: traffic and what is held back", list, lift)
}

func showOTP(w io.Writer, t messagingadmin.OTPTraffic) {
	console.Row(w, "PREFIX", "COUNTRY", "ACCOUNT", "SENT", "VERIFIED", "PERCENT", "BLOCKED UNTIL")
	for _, p := range t.Prefixes {
		console.Row(w, p.Prefix, p.Country, p.AccountID, p.Sent, p.Verified, p.Percent, optionalTime(p.BlockedUntil))
	}
	if len(t.Caps) == 0 {
		return
	}
	console.Row(w)
	console.Row(w, "THIS HOUR", "ACCOUNT", "SENT", "MOST")
	for _, c := range t.Caps {
		area, most := c.Prefix, ""
		if c.Country != "" {
			area = "+" + c.Country
		}
		if c.Most != nil {
			most = strconv.FormatInt(*c.Most, 10)
		}
		console.Row(w, area, c.AccountID, c.Sent, most)
	}
}

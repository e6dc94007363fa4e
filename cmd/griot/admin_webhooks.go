package main

import (
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/griot/cmd/griot/console"
	messagingadmin "example.com/griot/messaging/admin"
)

func adminWebhooks(o *adminOptions) *cobra.Command {
	return group("webhooks", "Accounts' webhook endpoints, and the events that go there", webhooksEndpoints(o),
		webhooksVerb(o, "show", "Show the state of an account's endpoint"), webhooksSet(o),
		webhooksVerb(o, "enable", "Let events go out again; those that wait go first"), webhooksVerb(o, "disable", "Let events wait"),
		webhooksVerb(o, "rotate-secret", "Replace the signing secret, printed once; the one before goes on signing for 24 hours"),
		webhooksVerb(o, "rotate-stream-secret", "Replace the secrets that sign what griot listen passes on; the live one is printed"), webhooksReads(o), webhooksPing(o),
		webhooksList(o), webhooksAttempts(o), webhooksResend(o), webhooksResendFailed(o))
}

// ofAccount adds the flag that names an account to a command.
func ofAccount(c *cobra.Command, to *string) *cobra.Command {
	c.Flags().StringVar(to, "account", "", "whose: an account's id or e-mail address")
	required(c, "account")
	return c
}

func showEndpoint(w io.Writer, e messagingadmin.Endpoint) {
	console.Row(w, "account", e.AccountID+"  "+e.Account)
	showWebhookState(w, e.URL, e.Enabled, webhookTimes{e.DisabledAt, e.PausedUntil, e.FailingSince, e.LastSuccessAt, e.LastFailureAt, e.PreviousSecret}, e.DisabledFor)
	console.Row(w, "last status", e.LastStatus)
	console.Row(w, "pending", e.Pending)
	console.Row(w, "read receipts", e.ReadReceipts)
	if e.Secret != "" {
		console.Row(w, "secret", e.Secret+"  (shown only now)")
	}
}

// webhookTimes are the times of what happened to an endpoint; nil: it did not happen.
type webhookTimes struct{ disabled, pausedUntil, failingSince, success, failure, oldSecretUntil *time.Time }

// showWebhookState shows what endpoints of both services have in common.
func showWebhookState(w io.Writer, url string, enabled bool, times webhookTimes, disabledFor string) {
	console.Row(w, "url", url)
	console.Row(w, "enabled", enabled)
	for _, t := range []struct {
		name string
		at   *time.Time
	}{
		{"disabled", times.disabled},
		{"paused until", times.pausedUntil},
		{"failing since", times.failingSince},
		{"last success", times.success},
		{"last failure", times.failure},
		{"old secret until", times.oldSecretUntil},
	} {
		if t.at != nil {
			console.Row(w, t.name, *t.at)
		}
	}
	if disabledFor != "" {
		console.Row(w, "disabled for", disabledFor)
	}
}

func webhooksEndpoints(o *adminOptions) *cobra.Command {
	in := messagingadmin.PageInput{}
	c := &cobra.Command{
		Use: "endpoints [--limit N] [--after ACCOUNT]", Short: "List the endpoints that there are", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return runVerb(c, o, "webhooks.endpoints", in, func(w io.Writer, all []messagingadmin.Endpoint) {
				console.Row(w, "ACCOUNT", "NAME", "ENABLED", "PENDING", "LAST STATUS", "FAILING SINCE", "URL")
				for _, e := range all {
					console.Row(w, e.AccountID, e.Account, e.Enabled, e.Pending, e.LastStatus, optionalTime(e.FailingSince), e.URL)
				}
			})
		},
	}
	c.Flags().IntVar(&in.Limit, "limit", 100, "how many")
	c.Flags().StringVar(&in.After, "after", "", "the last account of the page before")
	return c
}

// webhooksVerb is a command about one account's endpoint.
func webhooksVerb(o *adminOptions, verb, short string) *cobra.Command {
	in := messagingadmin.OfAccount{}
	return ofAccount(&cobra.Command{
		Use: verb + " --account ACCOUNT", Short: short, Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return runVerb(c, o, "webhooks."+verb, in, showEndpoint) },
	}, &in.Account)
}

func webhooksSet(o *adminOptions) *cobra.Command {
	in := messagingadmin.SetInput{}
	c := ofAccount(&cobra.Command{
		Use: "set --account ACCOUNT --url URL", Short: "Set where an account's events go; a new secret is printed once", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return runVerb(c, o, "webhooks.set", in, showEndpoint) },
	}, &in.Account)
	c.Flags().StringVar(&in.URL, "url", "", "an https address; empty for none")
	required(c, "url")
	return c
}

func webhooksReads(o *adminOptions) *cobra.Command {
	in := messagingadmin.ReadsInput{}
	c := ofAccount(&cobra.Command{
		Use: "read-receipts --account ACCOUNT --on=false", Short: "Choose whether an account gets events of messages that were read", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return runVerb(c, o, "webhooks.read-receipts", in, showEndpoint)
		},
	}, &in.Account)
	c.Flags().BoolVar(&in.On, "on", true, "whether it gets them")
	return c
}

func webhooksPing(o *adminOptions) *cobra.Command {
	in := messagingadmin.OfAccount{}
	return ofAccount(&cobra.Command{
		Use: "ping --account ACCOUNT", Short: "Test an endpoint with an event that reports nothing", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return runVerb(c, o, "webhooks.ping", in, showEvent) },
	}, &in.Account)
}

func showEvent(w io.Writer, e messagingadmin.Event) { showWebhookEvents(w, []messagingadmin.Event{e}) }

func showWebhookEvents(w io.Writer, events []messagingadmin.Event) {
	console.Row(w, "EVENT", "TYPE", "AT", "DELIVERY", "FAILED TRIES", "NEXT TRY", "DELIVERED")
	for _, e := range events {
		console.Row(w, e.ID, e.Type, e.CreatedAt, e.Delivery, e.FailedTries, optionalTime(e.NextTryAt), optionalTime(e.DeliveredAt))
	}
}

func webhooksList(o *adminOptions) *cobra.Command {
	in := messagingadmin.WebhookEventsInput{}
	c := ofAccount(&cobra.Command{
		Use: "list --account ACCOUNT [--delivery STATE] [--limit N] [--before EVENT]", Short: "List an account's events, newest first", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return runVerb(c, o, "webhooks.list", in, showWebhookEvents) },
	}, &in.Account)
	f := c.Flags()
	f.StringVar(&in.Delivery, "delivery", "", "only those: pending, delivered, failed, not_sent")
	f.IntVar(&in.Limit, "limit", defaultEvents, "how many")
	f.StringVar(&in.Before, "before", "", "the last event of the page before")
	return c
}

func webhooksAttempts(o *adminOptions) *cobra.Command {
	in := messagingadmin.EventInput{}
	return ofAccount(&cobra.Command{
		Use: "attempts EVENT --account ACCOUNT", Short: "Show each try to deliver an event, the latest first", Args: exactlyOne("EVENT: evt_..."),
		RunE: func(c *cobra.Command, args []string) error {
			in.ID = args[0]
			return runVerb(c, o, "webhooks.attempts", in, func(w io.Writer, all []messagingadmin.Attempt) {
				console.Row(w, "AT", "STATUS", "MS", "ERROR", "ANSWER")
				for _, a := range all {
					console.Row(w, a.At, a.Status, a.LatencyMs, a.Error, oneLineOf(a.Answer))
				}
			})
		},
	}, &in.Account)
}

const answerColumn = 80

// oneLineOf returns the beginning of an endpoint's answer, which may be anything, without control characters.
func oneLineOf(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return ' '
		}
		return r
	}, s)
	if r := []rune(s); len(r) > answerColumn {
		return string(r[:answerColumn]) + "…"
	}
	return s
}

func webhooksResend(o *adminOptions) *cobra.Command {
	in := messagingadmin.EventInput{}
	return ofAccount(&cobra.Command{
		Use: "resend EVENT --account ACCOUNT", Short: "Deliver an event again, under its id", Args: exactlyOne("EVENT: evt_..."),
		RunE: func(c *cobra.Command, args []string) error {
			in.ID = args[0]
			return runVerb(c, o, "webhooks.resend", in, showEvent)
		},
	}, &in.Account)
}

func webhooksResendFailed(o *adminOptions) *cobra.Command {
	in := messagingadmin.SinceInput{}
	c := ofAccount(&cobra.Command{
		Use: "resend-failed --account ACCOUNT --since TIME", Short: "Deliver again what was given up", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return runVerb(c, o, "webhooks.resend-failed", in, func(w io.Writer, r messagingadmin.Resent) { console.Row(w, "resent", r.Resent) })
		},
	}, &in.Account)
	c.Flags().TimeVar(&in.Since, "since", time.Time{}, []string{time.RFC3339, time.DateOnly}, "when the events happened, or later")
	required(c, "since")
	return c
}

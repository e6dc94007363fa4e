package main

import (
	"io"
	"time"

	"github.com/spf13/cobra"

	authadmin "example.com/griot/auth/admin"
	"example.com/griot/cmd/griot/console"
)

func tenantsWebhook(o *adminOptions) *cobra.Command {
	return group("webhook", "The endpoint that gets a tenant's events of logins", tenantWebhookSet(o),
		tenantWebhook(o, "show", "Show the state of a tenant's endpoint"),
		tenantWebhook(o, "enable", "Let events go out again; those that wait go first"), tenantWebhook(o, "disable", "Let events wait"),
		tenantWebhook(o, "rotate-secret", "Replace the signing secret, printed once; the one before goes on signing for 24 hours"),
		tenantWebhookPing(o), tenantWebhookResend(o))
}

// ofTenant adds the flag that names a tenant to a command.
func ofTenant(c *cobra.Command, to *string) *cobra.Command {
	c.Flags().StringVar(to, "tenant", "", "whose: a tenant's id")
	required(c, "tenant")
	return c
}

func showTenantWebhook(w io.Writer, e authadmin.Webhook) {
	console.Row(w, "tenant", e.TenantID+"  "+e.Tenant)
	showWebhookState(w, e.URL, e.Enabled, webhookTimes{e.DisabledAt, e.PausedUntil, e.FailingSince, e.LastSuccessAt, e.LastFailureAt, e.PreviousSecret}, e.DisabledFor)
	console.Row(w, "last status", e.LastStatus)
	console.Row(w, "pending", e.Pending)
	if e.Secret != "" {
		console.Row(w, "secret", e.Secret+"  (shown only now)")
	}
}

// tenantWebhook is a command about one tenant's endpoint.
func tenantWebhook(o *adminOptions, verb, short string) *cobra.Command {
	in := authadmin.OfTenant{}
	return ofTenant(&cobra.Command{
		Use: verb + " --tenant ID", Short: short, Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return runVerb(c, o, "tenants.webhook."+verb, in, showTenantWebhook)
		},
	}, &in.TenantID)
}

func tenantWebhookSet(o *adminOptions) *cobra.Command {
	in := authadmin.WebhookInput{}
	c := ofTenant(&cobra.Command{
		Use: "set --tenant ID --url URL", Short: "Set where a tenant's events go; a new secret is printed once", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return runVerb(c, o, "tenants.webhook.set", in, showTenantWebhook)
		},
	}, &in.TenantID)
	c.Flags().StringVar(&in.URL, "url", "", "an https address; empty for none")
	required(c, "url")
	return c
}

func tenantWebhookPing(o *adminOptions) *cobra.Command {
	in := authadmin.OfTenant{}
	return ofTenant(&cobra.Command{
		Use: "ping --tenant ID", Short: "Test an endpoint with an event that reports nothing", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return runVerb(c, o, "tenants.webhook.ping", in, func(w io.Writer, p authadmin.Pinged) { console.Row(w, "event", p.EventID) })
		},
	}, &in.TenantID)
}

func tenantWebhookResend(o *adminOptions) *cobra.Command {
	in := authadmin.SinceInput{}
	c := ofTenant(&cobra.Command{
		Use: "resend-failed --tenant ID --since TIME", Short: "Deliver again what was given up", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return runVerb(c, o, "tenants.webhook.resend-failed", in, func(w io.Writer, r authadmin.Resent) { console.Row(w, "resent", r.Resent) })
		},
	}, &in.TenantID)
	c.Flags().TimeVar(&in.Since, "since", time.Time{}, []string{time.RFC3339, time.DateOnly}, "when the events happened, or later")
	required(c, "since")
	return c
}

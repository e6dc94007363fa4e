package main

import (
	"io"
	"time"

	"github.com/spf13/cobra"

	authadmin "example.com/griot/auth/admin"
	"example.com/griot/auth/tenant"
	"example.com/griot/cmd/griot/console"
)

func adminInvitations(o *adminOptions) *cobra.Command {
	return group("invitations", "Keys to a tenant's dashboard", invitationsCreate(o), invitationsList(o), invitationsRevoke(o))
}

func invitationsCreate(o *adminOptions) *cobra.Command {
	in := authadmin.InvitationInput{}
	ttl := tenant.InvitationTime
	c := &cobra.Command{
		Use: "create --tenant ID", Short: "Make a key, which is printed once", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			in.TTLSeconds = int64(ttl / time.Second)
			return runVerb(c, o, "invitations.create", in, func(w io.Writer, i authadmin.NewInvitation) {
				console.Row(w, "tenant", i.TenantID)
				console.Row(w, "works for", time.Duration(i.TTLSeconds)*time.Second)
				console.Row(w, "single use", i.SingleUse)
				console.Row(w, "key", i.Key+"  (shown only now)")
			})
		},
	}
	f := c.Flags()
	f.StringVar(&in.TenantID, "tenant", "", "whose dashboard it opens")
	f.DurationVar(&ttl, "ttl", ttl, "how long it works")
	f.BoolVar(&in.SingleUse, "single-use", false, "it opens the dashboard once")
	required(c, "tenant")
	return c
}

func invitationsList(o *adminOptions) *cobra.Command {
	in := authadmin.OfTenant{}
	c := &cobra.Command{
		Use: "list --tenant ID", Short: "List a tenant's invitations, without their keys", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return runVerb(c, o, "invitations.list", in, func(w io.Writer, list []authadmin.Invitation) {
				console.Row(w, "INVITATION", "SINGLE USE", "CREATED", "EXPIRES", "USED", "REVOKED")
				for _, i := range list {
					console.Row(w, i.ID, i.SingleUse, i.CreatedAt, i.ExpiresAt, optionalTime(i.UsedAt), optionalTime(i.RevokedAt))
				}
			})
		},
	}
	c.Flags().StringVar(&in.TenantID, "tenant", "", "whose invitations")
	required(c, "tenant")
	return c
}

func optionalTime(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return *t
}

func invitationsRevoke(o *adminOptions) *cobra.Command {
	return &cobra.Command{
		Use: "revoke INVITATION", Short: "End an invitation, and the dashboard sessions that it opened", Args: exactlyOne("INVITATION: an id, as list shows it"),
		RunE: func(c *cobra.Command, args []string) error {
			return runVerb(c, o, "invitations.revoke", authadmin.ByID{ID: args[0]}, func(w io.Writer, r authadmin.Revoked) { console.Row(w, "revoked", r.ID) })
		},
	}
}

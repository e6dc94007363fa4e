package main

import (
	"io"

	"github.com/spf13/cobra"

	authadmin "example.com/griot/auth/admin"
	"example.com/griot/cmd/griot/console"
)

func adminTenants(o *adminOptions) *cobra.Command {
	return group("tenants", "Organisations whose applications sign people in", tenantsCreate(o), tenantsList(o), tenantsRename(o), tenantsDelete(o), tenantsWebhook(o))
}

func showTenants(w io.Writer, tenants []authadmin.Tenant) {
	console.Row(w, "TENANT", "NAME", "CREATED")
	for _, t := range tenants {
		console.Row(w, t.ID, t.Name, t.CreatedAt)
	}
}

func tenantsCreate(o *adminOptions) *cobra.Command {
	in := authadmin.TenantInput{}
	c := &cobra.Command{
		Use: "create --name NAME", Short: "Make a tenant", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return runVerb(c, o, "tenants.create", in, func(w io.Writer, t authadmin.Tenant) { showTenants(w, []authadmin.Tenant{t}) })
		},
	}
	c.Flags().StringVar(&in.Name, "name", "", "as people read it on the waiting page")
	required(c, "name")
	return c
}

func tenantsList(o *adminOptions) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the tenants", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return runVerb(c, o, "tenants.list", authadmin.Nothing{}, showTenants)
		},
	}
}

// required marks flags of c, which has them.
func required(c *cobra.Command, flags ...string) {
	for _, f := range flags {
		_ = c.MarkFlagRequired(f)
	}
}

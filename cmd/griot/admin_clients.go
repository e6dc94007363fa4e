package main

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	authadmin "example.com/griot/auth/admin"
	"example.com/griot/cmd/griot/console"
)

func adminClients(o *adminOptions) *cobra.Command {
	return group("clients", "Applications that sign people in", clientsCreate(o), clientsList(o), clientsSet(o), clientsRename(o), clientsDelete(o),
		clientVerb(o, "activate", "Switch a client on"),
		clientVerb(o, "deactivate", "Switch a client off: its logins and exchanges are refused"),
		clientVerb(o, "rotate", "Replace a CONFIDENTIAL client's secret; the new one is printed once, the old one is dead at once"))
}

func showClients(w io.Writer, clients []authadmin.Client) {
	console.Row(w, "CLIENT", "TYPE", "MODE", "ACTIVE", "CREATED", "REDIRECTS")
	for _, c := range clients {
		console.Row(w, c.ClientID, c.Type, c.Mode, c.Active, c.CreatedAt, strings.Join(c.RedirectURIs, " "))
	}
}

func showClient(w io.Writer, c authadmin.Client) {
	console.Row(w, "client", c.ClientID)
	console.Row(w, "tenant", c.TenantID)
	console.Row(w, "type", c.Type)
	console.Row(w, "mode", c.Mode)
	console.Row(w, "active", c.Active)
	for _, uri := range c.RedirectURIs {
		console.Row(w, "redirect", uri)
	}
	if c.ClientSecret != "" {
		console.Row(w, "secret", c.ClientSecret+"  (shown only now)")
	}
}

func clientsCreate(o *adminOptions) *cobra.Command {
	in := authadmin.ClientInput{}
	c := &cobra.Command{
		Use: "create --tenant ID --type TYPE --mode MODE --redirect URI...", Short: "Make a client; a CONFIDENTIAL one's secret is printed once", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return runVerb(c, o, "clients.create", in, showClient) },
	}
	f := c.Flags()
	f.StringVar(&in.TenantID, "tenant", "", "whose client it is")
	f.StringVar(&in.Type, "type", "", "PUBLIC (apps, pages) or CONFIDENTIAL (servers that keep a secret)")
	f.StringVar(&in.Mode, "mode", "", "TEST (sandbox numbers) or LIVE")
	f.StringArrayVar(&in.RedirectURIs, "redirect", nil, "where people may be sent back to, exactly; repeat it for more")
	required(c, "tenant", "type", "mode", "redirect")
	return c
}

func clientsList(o *adminOptions) *cobra.Command {
	in := authadmin.OfTenant{}
	c := &cobra.Command{
		Use: "list --tenant ID", Short: "List a tenant's clients", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return runVerb(c, o, "clients.list", in, showClients) },
	}
	c.Flags().StringVar(&in.TenantID, "tenant", "", "whose clients")
	required(c, "tenant")
	return c
}

func clientsSet(o *adminOptions) *cobra.Command {
	in := authadmin.ClientChange{}
	c := &cobra.Command{
		Use: "set CLIENT --redirect URI...", Short: "Replace a client's redirect addresses: those that are not given are gone", Args: exactlyOne(aClient),
		RunE: func(c *cobra.Command, args []string) error {
			in.ClientID = args[0]
			return runVerb(c, o, "clients.set", in, showClient)
		},
	}
	c.Flags().StringArrayVar(&in.RedirectURIs, "redirect", nil, "where people may be sent back to, exactly; repeat it for more")
	required(c, "redirect")
	return c
}

const aClient = "CLIENT: cl_test_... or cl_live_..."

// clientVerb is a command about one client, by its public identifier.
func clientVerb(o *adminOptions, verb, short string) *cobra.Command {
	return &cobra.Command{
		Use: verb + " CLIENT", Short: short, Args: exactlyOne(aClient),
		RunE: func(c *cobra.Command, args []string) error {
			return runVerb(c, o, "clients."+verb, authadmin.ByClientID{ClientID: args[0]}, showClient)
		},
	}
}

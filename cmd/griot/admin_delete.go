package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	authadmin "example.com/griot/auth/admin"
	"example.com/griot/cmd/griot/console"
	"example.com/griot/cmd/griot/exit"
	messagingadmin "example.com/griot/messaging/admin"
)

// confirmed asks on a terminal whether something that can't be undone is to be done. Elsewhere --yes says so.
func confirmed(c *cobra.Command, yes bool, what string) error {
	if yes {
		return nil
	}
	if !console.AsksPeople(c.InOrStdin()) {
		return exit.Usage("%s can't be undone: say --yes", what)
	}
	_, _ = fmt.Fprintf(c.ErrOrStderr(), "%s can't be undone. Go on? [yes/no] ", what)
	answer, err := console.Answer(c.InOrStdin())
	if answer != "yes" {
		return exit.Usage("nothing was done")
	}
	return err
}

// deleting adds --yes to a command that deletes, and asks before it runs.
func deleting(c *cobra.Command, what func(args []string) string) *cobra.Command {
	yes, run := false, c.RunE
	c.Flags().BoolVar(&yes, "yes", false, "do not ask: this can't be undone")
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := confirmed(c, yes, what(args)); err != nil {
			return err
		}
		return run(c, args)
	}
	return c
}

func deletesOne(what string) func([]string) string {
	return func(args []string) string { return "Deleting the " + what + " " + args[0] }
}

const aTenant = "TENANT: an id, as tenants list shows it"

func tenantsRename(o *adminOptions) *cobra.Command {
	in := authadmin.TenantName{}
	c := &cobra.Command{
		Use: "rename TENANT --name NAME", Short: "Give a tenant another name: logins that have started keep the one they show", Args: exactlyOne(aTenant),
		RunE: func(c *cobra.Command, args []string) error {
			in.TenantID = args[0]
			return runVerb(c, o, "tenants.rename", in, func(w io.Writer, t authadmin.Tenant) { showTenants(w, []authadmin.Tenant{t}) })
		},
	}
	c.Flags().StringVar(&in.Name, "name", "", "as people read it on the waiting page")
	required(c, "name")
	return c
}

func tenantsDelete(o *adminOptions) *cobra.Command {
	return deleting(&cobra.Command{
		Use: "delete TENANT", Short: "Delete a tenant with its clients, people, logins, events and invitations", Args: exactlyOne(aTenant),
		RunE: func(c *cobra.Command, args []string) error {
			in := authadmin.TenantDeletion{TenantID: args[0]}
			for { // each call works for a few seconds, and the next goes on where it was
				d, err := resultOf[authadmin.Deletion](c.Context(), o, "tenants.delete", in)
				if err != nil {
					return err
				}
				if in.Position = d.Position; !d.Done {
					continue
				}
				if o.json {
					return json.NewEncoder(c.OutOrStdout()).Encode(d)
				}
				return console.Columns(c.OutOrStdout(), func(w io.Writer) { console.Row(w, "deleted", d.ID) })
			}
		},
	}, deletesOne("tenant"))
}

func clientsRename(o *adminOptions) *cobra.Command {
	in := authadmin.ClientName{}
	c := &cobra.Command{
		Use: "rename CLIENT --name NAME", Short: "Give a client a name, which its tenant's dashboard shows; an empty one is none", Args: exactlyOne(aClient),
		RunE: func(c *cobra.Command, args []string) error {
			in.ClientID = args[0]
			return runVerb(c, o, "clients.rename", in, showClient)
		},
	}
	c.Flags().StringVar(&in.Name, "name", "", "the name")
	required(c, "name")
	return c
}

func clientsDelete(o *adminOptions) *cobra.Command {
	return deleting(clientVerb(o, "delete", "Delete a client: its logins can't be finished, and its tokens are not introspected any more"), deletesOne("client"))
}

const aProject = "PROJECT: an id, as projects list shows it"

func projectsRename(o *adminOptions) *cobra.Command {
	in := messagingadmin.ProjectName{}
	c := &cobra.Command{
		Use: "rename --account ACCOUNT PROJECT --name NAME", Short: "Give a project another name", Args: exactlyOne(aProject),
		RunE: func(c *cobra.Command, args []string) error {
			in.ID = args[0]
			return runVerb(c, o, "projects.rename", in, func(w io.Writer, p messagingadmin.Project) {
				console.Row(w, "project", p.ID)
				console.Row(w, "name", p.Name)
			})
		},
	}
	accountFlag(c, &in.Account, "whose project")
	c.Flags().StringVar(&in.Name, "name", "", "as people read it")
	required(c, "name")
	return c
}

func projectsDelete(o *adminOptions) *cobra.Command {
	in := messagingadmin.InAccount{}
	c := &cobra.Command{
		Use: "delete --account ACCOUNT PROJECT", Short: "Delete a project and revoke its keys; its messages stay the account's", Args: exactlyOne(aProject),
		RunE: func(c *cobra.Command, args []string) error {
			in.ID = args[0]
			return runVerb(c, o, "projects.delete", in, func(w io.Writer, r messagingadmin.Removed) {
				console.Row(w, "deleted", r.ID)
				console.Row(w, "keys revoked", r.RevokedKeys)
			})
		},
	}
	accountFlag(c, &in.Account, "whose project")
	return deleting(c, deletesOne("project"))
}

func accountsDelete(o *adminOptions) *cobra.Command {
	in := messagingadmin.AccountDeletion{}
	c := &cobra.Command{
		Use: "delete ACCOUNT", Short: "Close an account, whose data is erased after 30 days; until then accounts reopen opens it again", Args: exactlyOne(anAccount),
		RunE: func(c *cobra.Command, args []string) error {
			in.Account = args[0]
			return runVerb(c, o, "accounts.delete", in, showAccount)
		},
	}
	c.Flags().BoolVar(&in.Now, "now", false, "erase it within the hour: it can't be reopened")
	return deleting(c, deletesOne("account"))
}

package main

import (
	"io"

	"github.com/spf13/cobra"

	"example.com/griot/cmd/griot/console"
	messagingadmin "example.com/griot/messaging/admin"
)

func adminAPIKeys(o *adminOptions) *cobra.Command {
	return group("api-keys", "Keys with which accounts send", apiKeysCreate(o), apiKeysList(o), apiKeysRevoke(o))
}

func apiKeysCreate(o *adminOptions) *cobra.Command {
	in := messagingadmin.KeyInput{}
	c := &cobra.Command{
		Use: "create --account ACCOUNT [--kind live|test|project] [--project ID]", Short: "Make a key, which is printed once; the others go on working", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return runVerb(c, o, "api-keys.create", in, func(w io.Writer, k messagingadmin.Key) {
				console.Row(w, "id", k.ID)
				console.Row(w, "kind", k.Kind)
				if k.ProjectID != "" {
					console.Row(w, "project", k.ProjectID)
				}
				console.Row(w, "key", k.Key+"  (shown only now)")
			})
		},
	}
	f := c.Flags()
	accountFlag(c, &in.Account, "whose key")
	f.StringVar(&in.Kind, "kind", "live", "live, test (simulates every send) or project (one project only)")
	f.StringVar(&in.ProjectID, "project", "", "of a project key: the project's id")
	f.StringVar(&in.MemberID, "member", "", "of a project key: the member whose it is, and with whom it goes")
	return c
}

// accountFlag is --account, which must be given.
func accountFlag(c *cobra.Command, to *string, usage string) {
	c.Flags().StringVar(to, "account", "", usage+": an account's id, or its owner's e-mail address")
	required(c, "account")
}

func apiKeysList(o *adminOptions) *cobra.Command {
	in := messagingadmin.OfAccount{}
	c := &cobra.Command{
		Use: "list --account ACCOUNT", Short: "List an account's keys, by how they begin", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return runVerb(c, o, "api-keys.list", in, func(w io.Writer, keys []messagingadmin.Key) {
				console.Row(w, "KEY", "KIND", "BEGINS", "PROJECT", "MEMBER", "CREATED", "LAST USED", "REVOKED", "ENDS", "NAME")
				for _, k := range keys {
					console.Row(w, k.ID, k.Kind, k.Prefix, k.ProjectID, k.MemberID, k.CreatedAt, optionalTime(k.LastUsedAt), optionalTime(k.RevokedAt), optionalTime(k.ExpiresAt), k.Name)
				}
			})
		},
	}
	accountFlag(c, &in.Account, "whose keys")
	return c
}

func apiKeysRevoke(o *adminOptions) *cobra.Command {
	in := messagingadmin.InAccount{}
	c := &cobra.Command{
		Use: "revoke --account ACCOUNT KEY", Short: "End a key", Args: exactlyOne("KEY: its id, as list shows it"),
		RunE: func(c *cobra.Command, args []string) error {
			in.ID = args[0]
			return runVerb(c, o, "api-keys.revoke", in, func(w io.Writer, d messagingadmin.Done) { console.Row(w, "revoked", d.ID) })
		},
	}
	accountFlag(c, &in.Account, "whose key")
	return c
}

package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"example.com/griot/cmd/griot/console"
)

func groupsCommand(options *Options) *cobra.Command {
	o := &connection{o: options}
	c := &cobra.Command{
		Use: "groups", Short: "List the account's WhatsApp groups",
		Example: `  griot groups
  griot send --to +22370112233 --channel whatsapp --group 120363000000000001@g.us "Meeting at nine"`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			api, err := o.client()
			if err != nil {
				return err
			}
			page, err := api.Groups(c.Context())
			if err != nil {
				return o.failed(err)
			}
			if o.json {
				return printJSON(c.OutOrStdout(), page.Raw)
			}
			t := console.Table{Head: []string{"GROUP", "PEOPLE", "ADMIN", "NAME"}}
			for _, g := range page.Groups {
				admin := "no"
				if g.IsAdmin {
					admin = "yes"
				}
				t.Add(g.ID, fmt.Sprint(g.Participants), admin, g.Name)
			}
			if page.Incomplete {
				fmt.Fprintln(c.ErrOrStderr(), "griot: note: a gateway couldn't list its groups, so there might be others")
			}
			return t.Write(c.OutOrStdout())
		},
	}
	o.flags(c)
	return c
}

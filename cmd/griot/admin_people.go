package main

import (
	"io"

	"github.com/spf13/cobra"

	authadmin "example.com/griot/auth/admin"
	"example.com/griot/cmd/griot/console"
)

func adminPeople(o *adminOptions) *cobra.Command {
	return group("people", "People who sign in, and whom messages are to or from", peopleDetach(o), peopleExport(o), peopleErase(o))
}

func peopleDetach(o *adminOptions) *cobra.Command {
	in := authadmin.OfPerson{}
	c := &cobra.Command{
		Use: "detach PERSON --tenant ID", Short: "Detach a person from their number, which somebody else has now", Args: exactlyOne("PERSON: the subject of their tokens"),
		RunE: func(c *cobra.Command, args []string) error {
			in.ID = args[0]
			return runVerb(c, o, "people.detach", in, func(w io.Writer, d authadmin.DetachedPerson) {
				console.Row(w, "detached", d.ID)
				console.Row(w, "logins ended", d.Logins)
				console.Row(w, "tokens revoked", d.Tokens)
			})
		},
	}
	c.Flags().StringVar(&in.TenantID, "tenant", "", "whose person it is")
	required(c, "tenant")
	return c
}

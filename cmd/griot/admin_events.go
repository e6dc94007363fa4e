package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	authadmin "example.com/griot/auth/admin"
	"example.com/griot/cmd/griot/console"
)

const defaultEvents = 50

func adminEvents(o *adminOptions) *cobra.Command {
	in := authadmin.EventsInput{}
	c := &cobra.Command{
		Use: "events [--tenant ID]", Short: "Show the latest audit events, newest first", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return runVerb(c, o, "events.list", in, func(w io.Writer, events []authadmin.Event) {
				console.Row(w, "AT", "TYPE", "RESULT", "ERROR", "ACTOR", "CLIENT", "LOGIN", "PHONE", "IP")
				for _, e := range events {
					typ := e.Type
					if e.Count > 1 {
						typ = fmt.Sprint(typ, " × ", e.Count)
					}
					console.Row(w, e.At, typ, e.Result, e.ErrorCode, e.Actor, e.ClientID, e.LoginID, e.Phone, e.IP)
				}
			})
		},
	}
	f := c.Flags()
	f.StringVar(&in.TenantID, "tenant", "", "whose events; without it, those of the signing keys and of gateways")
	f.IntVar(&in.Limit, "limit", defaultEvents, "how many")
	return c
}

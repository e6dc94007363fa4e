package main

import (
	"io"

	"github.com/spf13/cobra"

	"example.com/griot/cmd/griot/console"
	messagingadmin "example.com/griot/messaging/admin"
)

func adminSending(o *adminOptions, name, short string) *cobra.Command {
	return &cobra.Command{
		Use: name, Short: short, Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return runVerb(c, o, "sending."+name, messagingadmin.Nothing{}, showSending)
		},
	}
}

func showSending(w io.Writer, s messagingadmin.SendingState) {
	switch {
	case s.PausedAt == nil:
		console.Row(w, "sending", "yes")
	case s.RestoredFrom != nil:
		console.Row(w, "sending", "paused since", *s.PausedAt, "restored: it knows what happened until", *s.RestoredFrom)
	default:
		console.Row(w, "sending", "paused since", *s.PausedAt)
	}
}

package main

import (
	"io"

	"github.com/spf13/cobra"

	authadmin "example.com/griot/auth/admin"
	"example.com/griot/cmd/griot/console"
)

func adminKeys(o *adminOptions) *cobra.Command {
	list := &cobra.Command{
		Use: "list", Short: "List the signing keys", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return runVerb(c, o, "keys.list", authadmin.Nothing{}, showKeys)
		},
	}
	in := authadmin.RotateInput{}
	rotate := &cobra.Command{
		Use: "rotate", Short: "Publish the next signing key, which signs once every cache can have it", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return runVerb(c, o, "keys.rotate", in, func(w io.Writer, k authadmin.Key) { showKeys(w, []authadmin.Key{k}) })
		},
	}
	rotate.Flags().BoolVar(&in.Emergency, "emergency", false, "a key has leaked: a new one signs at once, and every token signed before is worth nothing")
	return group("keys", "Keys that sign tokens", list, rotate)
}

func showKeys(w io.Writer, keys []authadmin.Key) {
	console.Row(w, "KEY", "STATUS", "PUBLISHED", "SIGNS FROM", "STOPPED")
	for _, k := range keys {
		console.Row(w, k.Kid, k.Status, k.PublishedAt, k.SignsAt, optionalTime(k.StoppedAt))
	}
}

package main

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"example.com/griot/internal/verb"
	operatorpages "example.com/griot/operator"
)

func adminOpen(o *adminOptions) *cobra.Command {
	return &cobra.Command{
		Use: "open", Short: "Print a link to the operator's pages", Long: "Print a link to the operator's pages of the running server. The link works once, for one minute.", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			d, err := o.deployment()
			if err != nil {
				return err
			}
			raw, err := o.callServer(c.Context(), "pages.open", []byte("{}"))
			if errors.Is(err, verb.ErrNoServer) {
				return errors.New("no server runs; start griot serve to open its pages")
			}
			if err != nil {
				return oneLine(err)
			}
			var link operatorpages.Link
			if err := json.Unmarshal(raw, &link); err != nil {
				return fmt.Errorf("the server's response: %w", err)
			}
			url := d.server + "/#" + link.Token
			if o.json {
				return json.NewEncoder(c.OutOrStdout()).Encode(map[string]any{"url": url, "seconds": link.Seconds})
			}
			_, err = fmt.Fprintln(c.OutOrStdout(), url)
			return err
		},
	}
}

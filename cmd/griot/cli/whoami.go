package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	griot "example.com/griot/client"
	"example.com/griot/cmd/griot/console"
)

func whoamiCommand(options *Options) *cobra.Command {
	o := &connection{o: options}
	c := &cobra.Command{
		Use: "whoami", Short: "Show the service, account, and key in use",
		Example: `  griot whoami
  griot whoami --profile shop --json`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			api, err := o.client()
			if err != nil {
				return err
			}
			key, err := api.DescribeKey(c.Context())
			if err != nil {
				return o.failed(err)
			}
			if o.json {
				return printJSON(c.OutOrStdout(), key.Raw)
			}
			return console.Columns(c.OutOrStdout(), func(w io.Writer) { o.showKey(w, key) })
		},
	}
	o.flags(c)
	return c
}

func (o *connection) showKey(w io.Writer, key *griot.KeyInfo) {
	console.Row(w, "service", o.at.url)
	console.Row(w, "from", o.at.from)
	console.Row(w, "account", strings.TrimSpace(console.Plain(key.Account.Name)+"  "+key.Account.ID))
	if key.Project != nil {
		console.Row(w, "project", strings.TrimSpace(console.Plain(key.Project.Name)+"  "+key.Project.ID))
	}
	kind := key.Kind
	if kind == "test" {
		kind += "  (messages are only simulated)"
	}
	console.Row(w, "key", kind)
	console.Row(w, "plan", console.Plain(key.Plan))
	console.Row(w, "used", fmt.Sprintf("%s; the quota resets at %s", usedOf(&key.Usage), console.Time(key.Usage.ResetAt)))
	inbox := "no"
	if key.Features.Inbox {
		inbox = "yes"
	}
	console.Row(w, "inbox", inbox)
}

// usedOf returns the used part of the day's quota.
func usedOf(u *griot.Usage) string {
	if u.Limit == nil {
		return used(u.MessagesUsed, 0)
	}
	return used(u.MessagesUsed, *u.Limit)
}

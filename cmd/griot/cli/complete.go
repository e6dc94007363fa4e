package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	griot "example.com/griot/client"
	"example.com/griot/cmd/griot/exit"
	"example.com/griot/cmd/griot/profile"
)

const completionTimeout = 2 * time.Second // a person is waiting for the completion

func completionCommand() *cobra.Command {
	shells := map[string]func(*cobra.Command) error{
		"bash": func(c *cobra.Command) error { return c.Root().GenBashCompletionV2(c.OutOrStdout(), true) },
		"zsh":  func(c *cobra.Command) error { return c.Root().GenZshCompletion(c.OutOrStdout()) },
		"fish": func(c *cobra.Command) error { return c.Root().GenFishCompletion(c.OutOrStdout(), true) },
	}
	return &cobra.Command{
		Use: "completion bash|zsh|fish", Short: "Print a shell completion script",
		Example: `  griot completion bash > ~/.local/share/bash-completion/completions/griot
  griot completion zsh > "${fpath[1]}/_griot"
  griot completion fish > ~/.config/fish/completions/griot.fish`,
		ValidArgs: []string{"bash", "zsh", "fish"},
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 || shells[args[0]] == nil {
				return exit.Usage("%s needs one of: bash, zsh, fish", c.CommandPath())
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return shells[args[0]](c) },
	}
}

func completeProfiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	store, err := profile.Open()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	names, _ := store.Names()
	return names, cobra.ShellCompDirectiveNoFileComp
}

// complete requests completions from the service that the flags name. If there is no response in time, it offers none.
func (o *connection) complete(c *cobra.Command, ask func(ctx context.Context, api *griot.Client) []string) ([]string, cobra.ShellCompDirective) {
	ctx := c.Context()
	if ctx == nil {
		ctx = context.Background()
	}
	ctx, cancel := context.WithTimeout(ctx, completionTimeout)
	defer cancel()
	api, err := o.clientWith(griot.Options{Tries: 1})
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return ask(ctx, api), cobra.ShellCompDirectiveNoFileComp
}

func (o *connection) completePresets(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	return o.complete(c, func(ctx context.Context, api *griot.Client) (names []string) {
		page, err := api.Presets(ctx)
		if err != nil {
			return nil
		}
		for _, p := range page.Presets {
			names = append(names, p.Name+"\t"+p.Texts["en"].Text)
		}
		return names
	})
}

func (o *connection) completeSenders(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	return o.complete(c, func(ctx context.Context, api *griot.Client) (ids []string) {
		page, err := api.Senders(ctx)
		if err != nil {
			return nil
		}
		for _, s := range page.Senders {
			ids = append(ids, fmt.Sprintf("%s\t%s %s", s.ID, s.Channel, s.Address))
		}
		return ids
	})
}

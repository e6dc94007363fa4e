package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/griot/cmd/griot/console"
	"example.com/griot/cmd/griot/exit"
)

// page is a page that open can open by name.
type page struct{ name, path string }

var pages = []page{
	{"dashboard", "/dashboard"},
	{"logs", "/dashboard/logs"},
	{"inbox", "/dashboard/inbox"},
	{"send", "/dashboard/send"},
	{"keys", "/dashboard/keys"},
	{"webhooks", "/dashboard/webhooks"},
	{"docs", "/docs"},
	{"errors", "/docs/errors"},
}

func openCommand(options *Options) *cobra.Command {
	o := &connection{o: options}
	quiet := false
	var names []string
	for _, p := range pages {
		names = append(names, p.name)
	}
	c := &cobra.Command{
		Use: "open [PAGE | MESSAGE]", Short: "Open a page of the service in the browser",
		Long: "Open a page of the service in the browser: " + strings.Join(names[:5], ", ") + ",\n" + strings.Join(names[5:], ", ") + ", or the page of a MESSAGE (msg_...).\nThe command also prints the URL, which contains no key. You sign in on the page.",
		Example: `  griot open
  griot open msg_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
  griot open docs --print`,
		ValidArgs: names,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return exit.Usage("%s opens only one page", c.CommandPath())
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			what := "dashboard"
			if len(args) == 1 {
				what = args[0]
			}
			path := ""
			switch known := slices.Index(names, what); {
			case known >= 0:
				path = pages[known].path
			case strings.HasPrefix(what, "msg_"), strings.HasPrefix(what, "sb_"), strings.HasPrefix(what, "ntf_"):
				path = "/dashboard/messages/" + url.PathEscape(what)
			default:
				return exit.Usage("%s has no page %q: use one of %s, or a message", c.CommandPath(), what, strings.Join(names, ", "))
			}
			at, err := o.address()
			if err != nil {
				return err
			}
			address := strings.TrimRight(at, "/") + path
			if o.json {
				err = json.NewEncoder(c.OutOrStdout()).Encode(map[string]string{"url": address})
			} else {
				_, err = fmt.Fprintln(c.OutOrStdout(), address)
			}
			if err != nil || quiet || o.json || !console.IsTerminal(c.OutOrStdout()) {
				return err
			}
			if err := browse(c.Context(), address); err != nil {
				fmt.Fprintln(c.ErrOrStderr(), "griot: note: no browser could be opened; open the URL yourself")
			}
			return nil
		},
	}
	c.Flags().SortFlags = false
	c.Flags().BoolVar(&quiet, "print", false, "only print the URL")
	o.flags(c)
	return c
}

// address returns the address of the service. Its pages need no key.
func (o *connection) address() (string, error) {
	at, err := o.find()
	if err != nil && o.data == "" && o.profile == "" {
		if o.url != "" {
			return o.url, nil
		}
		if at := os.Getenv(urlVariable); at != "" {
			return at, nil
		}
	}
	return at.url, err
}

// browse opens an address in the user's browser.
func browse(ctx context.Context, address string) error {
	if u, err := url.Parse(address); err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("%q isn't the URL of a page", address)
	}
	name := "xdg-open"
	if runtime.GOOS == "darwin" {
		name = "open"
	}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), name, address) //nolint:gosec // G204: the address begins with http
	if err := cmd.Start(); err != nil {
		return err
	}
	return cmd.Process.Release()
}

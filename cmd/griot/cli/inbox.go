package cli

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	griot "example.com/griot/client"
	"example.com/griot/cmd/griot/exit"
)

const (
	inboxPoll    = 2 * time.Second
	inboxPage    = 100 // the service's maximum per request
	defaultInbox = 20
)

// inboxOptions are the flags of inbox and its subcommands.
type inboxOptions struct {
	connection
	limit           int
	query           string
	watch           bool
	markRead        bool
	to              string
	sandbox         bool
	idempotencyKey  string
	newest          griot.Millis // with watch: time of the newest shown item
	newestMessageID string
}

func inboxCommand(options *Options) *cobra.Command {
	o := &inboxOptions{connection: connection{o: options}}
	c := &cobra.Command{
		Use: "inbox", Short: "List conversations, and reply",
		Example: `  griot inbox
  griot inbox --watch
  griot inbox show cnv_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D --mark-read
  griot inbox reply cnv_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D "It is on its way, Awa."
  griot inbox search order`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return exit.Usage("%s has no %q: use show, reply, search, or only flags", c.CommandPath(), args[0])
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error { return o.run(c, o.conversations) },
	}
	f := c.Flags()
	f.SortFlags = false
	f.StringVar(&o.query, "query", "", "text in the contact's number or name")
	o.listFlags(c, "follow changes; press Ctrl-C to stop")
	o.flags(c)
	c.AddCommand(inboxShowCommand(options), inboxReplyCommand(options), inboxSearchCommand(options))
	return c
}

func (o *inboxOptions) listFlags(c *cobra.Command, watch string) {
	c.Flags().IntVar(&o.limit, "limit", defaultInbox, "number of conversations, at most 100")
	if watch != "" {
		c.Flags().BoolVar(&o.watch, "watch", false, watch)
	}
}

func inboxShowCommand(options *Options) *cobra.Command {
	o := &inboxOptions{connection: connection{o: options}}
	c := &cobra.Command{
		Use: "show CONVERSATION", Short: "Show a conversation",
		Example: `  griot inbox show cnv_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
  griot inbox show cnv_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D --watch`,
		Args: needs(1, "exactly one CONVERSATION: cnv_..."),
		RunE: func(c *cobra.Command, args []string) error {
			return o.run(c, func(ctx context.Context, w io.Writer, api *griot.Client, first bool) error {
				return o.messages(ctx, w, api, args[0], first)
			})
		},
	}
	c.Flags().SortFlags = false
	c.Flags().BoolVar(&o.markRead, "mark-read", false, "mark it as read, which the contact might see")
	o.listFlags(c, "follow new messages; press Ctrl-C to stop")
	o.flags(c)
	return c
}

func inboxReplyCommand(options *Options) *cobra.Command {
	o := &inboxOptions{connection: connection{o: options}}
	c := &cobra.Command{
		Use: "reply CONVERSATION TEXT", Short: "Reply to a conversation",
		Long: "Reply to the contact of a conversation. With -, the text is read from standard input.",
		Example: `  griot inbox reply cnv_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D "It is on its way, Awa."
  griot inbox reply cnv_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D --to-message msg_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D - < answer.txt`,
		Args: needs(2, "a CONVERSATION (cnv_...) and one TEXT: put it in quotes"),
		RunE: func(c *cobra.Command, args []string) (err error) {
			text := args[1]
			if text == "-" {
				if text, err = readText(c.InOrStdin()); err != nil {
					return err
				}
			}
			api, err := o.client()
			if err != nil {
				return err
			}
			res, err := api.Reply(c.Context(), args[0], &griot.Reply{Text: text, ReplyTo: o.to, Sandbox: o.sandbox, IdempotencyKey: o.idempotencyKey})
			switch {
			case err != nil:
				return o.failed(err)
			case o.json:
				return printJSON(c.OutOrStdout(), res.Raw)
			}
			return showResult(c.OutOrStdout(), res, time.Time{})
		},
	}
	f := c.Flags()
	f.SortFlags = false
	f.StringVar(&o.to, "to-message", "", "message that the reply quotes, shown above it on the contact's phone")
	f.StringVar(&o.idempotencyKey, "idempotency-key", "", "key that prevents a repeated request from sending again")
	f.BoolVar(&o.sandbox, "sandbox", false, "only simulate the message")
	o.flags(c)
	return c
}

func inboxSearchCommand(options *Options) *cobra.Command {
	o := &inboxOptions{connection: connection{o: options}}
	c := &cobra.Command{
		Use: "search TEXT", Short: "Search messages by text",
		Example: `  griot inbox search order
  griot inbox search "order 2041" --json`,
		Args: needs(1, "one TEXT: put it in quotes"),
		RunE: func(c *cobra.Command, args []string) error {
			o.query = args[0]
			return o.run(c, o.search)
		},
	}
	c.Flags().SortFlags = false
	o.listFlags(c, "")
	o.flags(c)
	return c
}

// run shows a list. With watch, it shows the list again after each change in the inbox.
func (o *inboxOptions) run(c *cobra.Command, list func(ctx context.Context, w io.Writer, api *griot.Client, first bool) error) error {
	if o.limit < 1 || o.limit > inboxPage {
		return exit.Usage("--limit must be 1 to %d", inboxPage)
	}
	api, err := o.client()
	if err != nil {
		return err
	}
	ctx := c.Context()
	if !o.watch {
		return o.ended(list(ctx, c.OutOrStdout(), api, true))
	}
	shown := griot.Revision("")
	for first := true; ; first = false {
		now, err := api.InboxRevision(ctx)
		if err == nil && (first || now.Revision != shown) {
			if err = list(ctx, c.OutOrStdout(), api, first); err == nil {
				shown = now.Revision
			}
		}
		if ctx.Err() != nil { // Ctrl-C ends watching
			return nil //nolint:nilerr // the same
		}
		if err != nil {
			return o.ended(err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(inboxPoll):
		}
	}
}

func (o *inboxOptions) ended(err error) error {
	if err == nil {
		return nil
	}
	return o.failed(err)
}

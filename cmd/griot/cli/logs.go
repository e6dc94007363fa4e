package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	griot "example.com/griot/client"
	"example.com/griot/cmd/griot/console"
	"example.com/griot/cmd/griot/exit"
)

const (
	defaultLogs  = 20
	logPageSize  = 200 // the service's maximum per request
	pollInterval = time.Second
	maxSeen      = 100_000
)

// logsOptions are the flags of logs.
type logsOptions struct {
	connection
	filter                    griot.LogFilter
	limit                     int
	status, channel, to, from string
	country                   string
	metadata                  []string
	watch                     bool
	seen                      map[string]griot.MessageStatus // with watch: status of the shown messages
	newest                    time.Time                      // time of the newest of them
}

func logsCommand(options *Options) *cobra.Command {
	o := &logsOptions{connection: connection{o: options}}
	c := &cobra.Command{
		Use: "logs [flags]", Short: "List recent messages",
		Example: `  griot logs --since 2h --status FAILED
  griot logs --to +22370112233 --limit 5
  griot logs --metadata order=2041 --json
  griot logs --watch`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return o.run(c) },
	}
	f := c.Flags()
	f.SortFlags = false
	f.StringVar(&o.from, "since", "", "messages since a time as logs prints it, or for a duration such as 2h")
	f.StringVar(&o.status, "status", "", "messages with this status: SENT, FAILED, ...")
	f.StringVar(&o.to, "to", "", "messages to this number, with its +, or email address")
	countryFlag(c, &o.country)
	f.StringVar(&o.channel, "channel", "", "messages on this channel: whatsapp, sms, or email")
	f.StringArrayVar(&o.metadata, "metadata", nil, "messages with this metadata: NAME=VALUE; repeat the flag for more")
	f.IntVar(&o.limit, "limit", defaultLogs, "number of messages")
	f.BoolVar(&o.watch, "watch", false, "follow new messages and status changes; press Ctrl-C to stop")
	o.flags(c)
	none := cobra.ShellCompDirectiveNoFileComp
	_ = c.RegisterFlagCompletionFunc("channel", cobra.FixedCompletions([]string{string(griot.WhatsApp), string(griot.SMS), string(griot.Email)}, none))
	_ = c.RegisterFlagCompletionFunc("status", cobra.FixedCompletions(statuses(), none))
	return c
}

// statuses returns the possible statuses of a message.
func statuses() []string {
	all := []string{}
	for _, s := range []griot.MessageStatus{griot.Scheduled, griot.Queued, griot.Sending, griot.Sent, griot.Delivered, griot.Read, griot.Failed, griot.Expired, griot.Canceled, griot.Sandbox} {
		all = append(all, string(s))
	}
	return all
}

func (o *logsOptions) run(c *cobra.Command) (err error) {
	if o.limit < 1 {
		return exit.Usage("--limit must be at least 1")
	}
	o.filter.Status, o.filter.Channel = griot.MessageStatus(strings.ToUpper(o.status)), griot.Channel(o.channel)
	if o.filter.Since, err = pointInTime("since", o.from, true); err != nil {
		return err
	}
	if o.filter.Metadata, err = pairs("metadata", o.metadata); err != nil {
		return err
	}
	if o.to != "" {
		if o.filter.To, err = known(o.to, o.country); err != nil {
			return err
		}
	}
	api, err := o.client()
	if err != nil {
		return err
	}
	if o.watch {
		return o.tail(c, api)
	}
	list, err := o.list(c, api, o.limit)
	if err != nil {
		return o.failed(err)
	}
	return o.show(c.OutOrStdout(), list, true)
}

// tail shows the latest messages, and then new messages and changes among the newest, until it is stopped.
func (o *logsOptions) tail(c *cobra.Command, api *griot.Client) error {
	o.seen = map[string]griot.MessageStatus{}
	for first := true; ; first = false {
		list, err := o.list(c, api, max(o.limit, logPageSize))
		if c.Context().Err() != nil { // Ctrl-C ends watching
			return nil //nolint:nilerr // the same
		}
		if err != nil {
			return o.failed(err)
		}
		fresh := o.changed(list)
		if first {
			o.since(list)
			fresh = fresh[max(0, len(fresh)-o.limit):]
		}
		if err := o.show(c.OutOrStdout(), fresh, first); err != nil {
			return err
		}
		select {
		case <-c.Context().Done():
			return nil
		case <-time.After(pollInterval):
		}
	}
}

// since makes the filter start with the oldest message of a full first list, so that an older message isn't shown when
// it starts to match later.
func (o *logsOptions) since(list []logLine) {
	if len(list) >= logPageSize {
		o.filter.Since = list[0].CreatedAt
	}
}

// logLine is an item, with its JSON as it was received.
type logLine struct {
	griot.LogItem
	raw json.RawMessage
}

// list returns at most the newest n messages, newest last. With watch, it goes back at
// least to the newest message that was shown, so that none is missed.
func (o *logsOptions) list(c *cobra.Command, api *griot.Client, n int) ([]logLine, error) {
	f := o.filter
	var lines []logLine
	for {
		f.Limit = min(max(n-len(lines), 1), logPageSize)
		page, err := api.Logs(c.Context(), f)
		if err != nil {
			return nil, err
		}
		var raw struct{ Logs []json.RawMessage }
		if err := json.Unmarshal(page.Raw, &raw); err != nil {
			return nil, fmt.Errorf("the service's response: %w", err)
		}
		for i, l := range page.Logs {
			lines = append(lines, logLine{l, raw.Logs[i]})
		}
		f.Cursor = page.NextCursor
		if f.Cursor == "" || len(lines) >= n && !lines[len(lines)-1].CreatedAt.After(o.newest) || len(lines) >= n && o.newest.IsZero() {
			slices.Reverse(lines)
			return lines, nil
		}
	}
}

// changed returns the messages whose current status was not shown yet, and stores their statuses.
func (o *logsOptions) changed(list []logLine) []logLine {
	if len(o.seen) > maxSeen {
		kept := make(map[string]griot.MessageStatus, len(list))
		for _, l := range list {
			if was, ok := o.seen[l.MessageID]; ok {
				kept[l.MessageID] = was
			}
		}
		o.seen = kept
	}
	var fresh []logLine
	for _, l := range list {
		if was, ok := o.seen[l.MessageID]; !ok || was != l.Status {
			fresh = append(fresh, l)
		}
		o.seen[l.MessageID] = l.Status
		if l.CreatedAt.After(o.newest) {
			o.newest = l.CreatedAt
		}
	}
	return fresh
}

func (o *logsOptions) show(w io.Writer, list []logLine, head bool) error {
	if o.json {
		for _, l := range list {
			if _, err := fmt.Fprintf(w, "%s\n", l.raw); err != nil {
				return err
			}
		}
		return nil
	}
	clock := console.Clock{Width: console.Width(w), Now: time.Now()}
	t := console.Table{Shrink: []int{2}}
	if head {
		t.Head = []string{clock.Head(), "MESSAGE", "TO", "STATUS", "CHANNEL", "TEXT"}
	}
	for _, l := range list {
		text := l.Preview
		if l.ErrorCode != "" {
			text = strings.TrimSpace(l.ErrorCode + "  " + text)
		}
		t.Add(clock.Cell(l.CreatedAt), l.MessageID, l.To, string(l.Status), string(l.Channel), text)
	}
	return t.Write(w)
}

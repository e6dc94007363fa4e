package cli

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	griot "example.com/griot/client"
	"example.com/griot/cmd/griot/console"
	"example.com/griot/cmd/griot/exit"
)

const (
	defaultWait = time.Minute
	firstPoll   = 100 * time.Millisecond
	slowestPoll = 2 * time.Second
)

func waitFlag(c *cobra.Command, to *time.Duration) {
	f := c.Flags()
	f.DurationVar(to, "wait", 0, "wait until the message is delivered or has failed (default: one minute; or --wait=5m)")
	f.Lookup("wait").NoOptDefVal = defaultWait.String()
}

func statusCommand(options *Options) *cobra.Command {
	o := &connection{o: options}
	var wait time.Duration
	watch := false
	c := &cobra.Command{
		Use: "status MESSAGE", Short: "Show the status and history of a message",
		Example: `  griot status msg_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
  griot status msg_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D --watch
  griot status msg_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D --wait=5m --json`,
		Args: needs(1, "exactly one MESSAGE: msg_..., sb_..., or ntf_..."),
		RunE: func(c *cobra.Command, args []string) error {
			api, err := o.client()
			switch {
			case err != nil:
				return err
			case watch:
				return o.watch(c, api, args[0], wait)
			}
			return o.follow(c, api, args[0], wait)
		},
	}
	f := c.Flags()
	f.SortFlags = false
	f.BoolVar(&watch, "watch", false, "show each step until the message is delivered or has failed; press Ctrl-C to stop")
	waitFlag(c, &wait)
	o.flags(c)
	return c
}

// follow shows a message after it is settled, or its current state after wait.
func (o *connection) follow(c *cobra.Command, api *griot.Client, messageID string, wait time.Duration) error {
	return o.poll(c, api, messageID, wait, func(s *griot.Status, over bool) error {
		if !over {
			return nil
		}
		return o.showStatus(c.OutOrStdout(), s)
	})
}

// watch shows a message and each new step. Without a wait, it continues until the message is settled.
func (o *connection) watch(c *cobra.Command, api *griot.Client, messageID string, wait time.Duration) error {
	if wait == 0 {
		wait = 1000 * time.Hour
	}
	var shown *griot.Status
	return o.poll(c, api, messageID, wait, func(s *griot.Status, _ bool) error {
		before := shown
		shown = s
		switch {
		case before != nil && len(before.Events) == len(s.Events) && before.Status == s.Status:
			return nil
		case o.json:
			_, err := fmt.Fprintf(c.OutOrStdout(), "%s\n", s.Raw)
			return err
		case before == nil:
			return o.showStatus(c.OutOrStdout(), s)
		}
		return showEvents(c.OutOrStdout(), s.Events[min(len(before.Events), len(s.Events)):], false)
	})
}

// poll requests a message repeatedly and shows each response, until the message is settled or wait is over.
func (o *connection) poll(c *cobra.Command, api *griot.Client, messageID string, wait time.Duration, show func(s *griot.Status, over bool) error) error {
	deadline := time.Now().Add(wait)
	for pause := firstPoll; ; pause = min(2*pause, slowestPoll) {
		s, err := api.Status(c.Context(), messageID)
		if err != nil {
			return o.failed(err)
		}
		remaining := time.Until(deadline)
		over := settled(s.Status) || remaining <= 0
		if err := show(s, over); err != nil {
			return err
		}
		if over {
			return exitStatus(s, wait)
		}
		select {
		case <-time.After(min(pause, remaining)):
		case <-c.Context().Done():
			return &exit.Error{Code: exit.CodeInterrupted, Name: "interrupted", Err: c.Context().Err()}
		}
	}
}

// settled reports whether the status is final. A sent message might still be delivered.
func settled(s griot.MessageStatus) bool { return !s.Open() && s != griot.Sent }

func exitStatus(s *griot.Status, wait time.Duration) error {
	switch {
	case s.Status.HasFailed():
		code := "expired"
		if s.Error != nil {
			code = s.Error.Code
		}
		return &exit.Error{Code: exit.CodeFailed, Name: code, Err: errors.New("the message has failed: " + console.Plain(code))}
	case wait > 0 && s.Status.Open():
		return &exit.Error{Code: exit.CodePending, Name: "pending", Err: fmt.Errorf("the message is still in progress after %v", wait)}
	}
	return nil
}

func (o *connection) showStatus(w io.Writer, s *griot.Status) error {
	if o.json {
		return printJSON(w, s.Raw)
	}
	if err := console.Columns(w, func(rows io.Writer) { showMessage(rows, w, s) }); err != nil {
		return err
	}
	fmt.Fprintln(w)
	return showEvents(w, s.Events, true)
}

// showEvents shows steps of a message.
func showEvents(w io.Writer, events []griot.Event, head bool) error {
	clock := console.Clock{Width: console.Width(w), Now: time.Now(), Precise: true}
	t := console.Table{}
	if head {
		t.Head = []string{clock.Head(), "STATUS", "CHANNEL", "WHY"}
	}
	for _, e := range events {
		why := e.Note
		if e.Error != nil {
			why = reason(e.Error)
			if e.Note != "" {
				why += "; " + e.Note
			}
		}
		t.Add(clock.Cell(e.At), string(e.Status), string(e.Channel), why)
	}
	return t.Write(w)
}

// showMessage writes the rows of a message. out is where they will be shown.
func showMessage(w, out io.Writer, s *griot.Status) {
	console.Row(w, "message", s.MessageID)
	console.Row(w, "status", console.Word(out, string(s.Status)))
	channel := string(s.Channel)
	if s.RequestedChannel != s.Channel {
		channel += "  (requested: " + string(s.RequestedChannel) + ")"
	}
	console.Row(w, "channel", channel)
	console.Row(w, "to", console.Plain(s.To))
	if s.GroupID != "" {
		console.Row(w, "group", console.Plain(s.GroupID))
	}
	if s.SenderID != "" {
		console.Row(w, "sender", s.SenderID)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Metadata)) {
		console.Row(w, "metadata", console.Plain(name)+"="+console.Plain(s.Metadata[name]))
	}
	console.Row(w, "attempts", s.Attempts)
	for _, at := range []struct {
		name string
		at   time.Time
	}{
		{"created", s.CreatedAt}, {"scheduled", s.ScheduledAt}, {"sent", s.SentAt}, {"delivered", s.DeliveredAt}, {"read", s.ReadAt}, {"failed", s.FailedAt}, {"expires", s.ExpiresAt},
	} {
		if !at.at.IsZero() && (at.name != "expires" || s.Status.Open()) {
			console.Row(w, at.name, console.Time(at.at))
		}
	}
	if s.Error != nil {
		console.Row(w, "reason", reason(s.Error))
	}
}

func reason(f *griot.Failure) string {
	s := f.Code
	if f.ProviderCode != "" {
		s += " (" + f.ProviderCode + ")"
	}
	if f.Message != "" {
		s += ": " + f.Message
	}
	return console.Plain(s)
}

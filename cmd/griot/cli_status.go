package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	griot "example.com/griot/client"
)

const (
	defaultWait = time.Minute
	firstPoll   = 100 * time.Millisecond
	slowestPoll = 2 * time.Second
)

func waitFlag(c *cobra.Command, to *time.Duration) {
	f := c.Flags()
	f.DurationVar(to, "wait", 0, "wait until the message is delivered or has failed: a minute, or --wait=5m")
	f.Lookup("wait").NoOptDefVal = defaultWait.String()
}

func statusCommand() *cobra.Command {
	o := &cliOptions{}
	var wait time.Duration
	c := &cobra.Command{
		Use: "status MESSAGE", Short: "Show the status of a message",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage("%s needs exactly one MESSAGE: msg_..., sb_... or ntf_...", c.CommandPath())
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			api, err := o.client()
			if err != nil {
				return err
			}
			return o.follow(c, api, args[0], wait)
		},
	}
	o.flags(c)
	waitFlag(c, &wait)
	return c
}

// follow shows a message once it is settled, or as it is after wait.
func (o *cliOptions) follow(c *cobra.Command, api *griot.Client, messageID string, wait time.Duration) error {
	deadline := time.Now().Add(wait)
	for pause := firstPoll; ; pause = min(2*pause, slowestPoll) {
		s, err := api.Status(c.Context(), messageID)
		if err != nil {
			return failed(err)
		}
		remaining := time.Until(deadline)
		if !settled(s.Status) && remaining > 0 {
			select {
			case <-time.After(min(pause, remaining)):
				continue
			case <-c.Context().Done():
				return c.Context().Err()
			}
		}
		if err := o.showStatus(c.OutOrStdout(), s); err != nil {
			return err
		}
		return exitStatus(s, wait)
	}
}

// settled reports whether the status is final. A message that was sent may still be delivered.
func settled(s griot.MessageStatus) bool { return !s.Open() && s != griot.Sent }

func exitStatus(s *griot.Status, wait time.Duration) error {
	switch {
	case s.Status.HasFailed():
		code := "expired"
		if s.Error != nil {
			code = s.Error.Code
		}
		return &exitError{exitFailed, errors.New("the message has failed: " + plain(code))}
	case wait > 0 && s.Status.Open():
		return &exitError{exitPending, fmt.Errorf("the message is still on its way after %v", wait)}
	}
	return nil
}

func (o *cliOptions) showStatus(w io.Writer, s *griot.Status) error {
	if o.json {
		return printJSON(w, s.Raw)
	}
	if err := table(w, func(w io.Writer) { showMessage(w, s) }); err != nil {
		return err
	}
	fmt.Fprintln(w)
	return table(w, func(w io.Writer) {
		row(w, "AT", "STATUS", "CHANNEL", "ERROR", "NOTE")
		for _, e := range s.Events {
			row(w, local(e.At), e.Status, e.Channel, reason(e.Error), e.Note)
		}
	})
}

func showMessage(w io.Writer, s *griot.Status) {
	row(w, "message", s.MessageID)
	row(w, "status", s.Status)
	channel := string(s.Channel)
	if s.RequestedChannel != s.Channel {
		channel += "  (asked for: " + string(s.RequestedChannel) + ")"
	}
	row(w, "channel", channel)
	row(w, "to", plain(s.To))
	if s.GroupID != "" {
		row(w, "group", plain(s.GroupID))
	}
	if s.SenderID != "" {
		row(w, "sender", s.SenderID)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Metadata)) {
		row(w, "metadata", plain(name)+"="+plain(s.Metadata[name]))
	}
	row(w, "attempts", s.Attempts)
	for _, at := range []struct {
		name string
		at   time.Time
	}{
		{"created", s.CreatedAt}, {"scheduled", s.ScheduledAt}, {"sent", s.SentAt}, {"delivered", s.DeliveredAt}, {"read", s.ReadAt}, {"failed", s.FailedAt}, {"expires", s.ExpiresAt},
	} {
		if !at.at.IsZero() && (at.name != "expires" || s.Status.Open()) {
			row(w, at.name, local(at.at))
		}
	}
	if s.Error != nil {
		row(w, "error", reason(s.Error))
	}
}

// local writes a time in the terminal's time zone.
func local(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05.000") }

func reason(f *griot.Failure) string {
	if f == nil {
		return ""
	}
	s := f.Code
	if f.ProviderCode != "" {
		s += " (" + f.ProviderCode + ")"
	}
	if f.Message != "" {
		s += ": " + f.Message
	}
	return plain(s)
}

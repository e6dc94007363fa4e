package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	griot "example.com/griot/client"
)

// maxStdin is larger than any text may be; the service refuses what is too long.
const maxStdin = 1 << 20

// sendOptions are the flags of send.
type sendOptions struct {
	cliOptions
	m                 griot.Message
	channel, htmlFile string
	formsFile         string
	vars, metadata    []string
	schedule, expires string
	retry             string
	fallbackAfter     time.Duration
	wait              time.Duration
	stdinReads        int // how often a value was to be read from standard input
}

func sendCommand() *cobra.Command {
	o := &sendOptions{}
	c := &cobra.Command{
		Use: "send --to TO [--channel CHANNEL] [flags] [TEXT]", Short: "Send a message",
		Long: "Send a message. TEXT is the message; with - it is read from standard input, which is the way for codes and\nother secrets: arguments can be read by everyone on the machine.",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage("%s takes one text: put it in quotes", c.CommandPath())
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return o.run(c, args) },
	}
	o.flags(c)
	f := c.Flags()
	f.StringVar(&o.m.To, "to", "", "a phone number, or an e-mail address")
	f.StringVar(&o.channel, "channel", "", "whatsapp, sms, email or auto (email for an e-mail address, otherwise auto)")
	f.StringVar(&o.m.Subject, "subject", "", "subject of an e-mail")
	f.StringVar(&o.htmlFile, "html-file", "", "file with the HTML of an e-mail")
	f.StringVar(&o.m.Preset, "preset", "", "one of the service's texts, in place of TEXT")
	f.StringArrayVar(&o.vars, "var", nil, "a variable of the preset: NAME=VALUE; a VALUE of - is read from standard input; repeat it for more")
	f.StringVar(&o.m.MediaURL, "media", "", "address of an attachment (WhatsApp)")
	f.StringVar(&o.m.Caption, "caption", "", "the attachment's caption")
	f.StringVar(&o.formsFile, "whatsapp-file", "", "file with the JSON of a WhatsApp template, or of buttons, a list or a link below the text")
	f.StringVar(&o.schedule, "schedule", "", "when to send it: 2026-03-01T08:00:00Z, or 2h from now")
	f.StringVar(&o.expires, "expires", "", "when it is no longer worth sending: a time, or a duration from now")
	f.StringVar(&o.m.SenderID, "sender", "", "which of the account's senders it comes from")
	f.StringVar(&o.m.GroupID, "group", "", "WhatsApp group to send it to (...@g.us)")
	f.StringVar(&o.m.Email, "email", "", "with auto: the e-mail address that it may go to in the end")
	f.DurationVar(&o.fallbackAfter, "fallback-after", 0, "with auto: how long to wait for a delivery before the next channel")
	f.StringArrayVar(&o.metadata, "metadata", nil, "a note of your own on the message: NAME=VALUE; repeat it for more")
	f.StringVar(&o.m.IdempotencyKey, "idempotency-key", "", "the same key again sends nothing again")
	f.BoolVar(&o.m.Sandbox, "sandbox", false, "only simulate it")
	f.BoolVar(&o.m.Sensitive, "sensitive", false, "keep the content out of histories")
	f.StringVar(&o.retry, "retry", "", "try again when the gateway fails; --retry=5 for five attempts in all")
	f.Lookup("retry").NoOptDefVal = "default"
	f.BoolVar(&o.m.DryRun, "dry-run", false, "only show what would happen")
	waitFlag(c, &o.wait)
	return c
}

func (o *sendOptions) run(c *cobra.Command, args []string) error {
	if err := o.message(c, args); err != nil {
		return err
	}
	api, err := o.client()
	if err != nil {
		return err
	}
	if o.m.DryRun {
		return o.preview(c, api)
	}
	res, err := api.Send(c.Context(), &o.m)
	if err != nil {
		return o.refused(c, err)
	}
	warn(c, res.Warnings)
	if o.wait > 0 {
		return o.follow(c, api, res.MessageID, o.wait)
	}
	if o.json {
		err = printJSON(c.OutOrStdout(), res.Raw)
	} else {
		err = table(c.OutOrStdout(), func(w io.Writer) { showResult(w, res) })
	}
	if err == nil && res.Status.HasFailed() { // a replay of what has expired
		err = &exitError{exitFailed, errors.New("the message of this key has not been delivered: " + string(res.Status))}
	}
	return err
}

// preview shows what would happen to the message.
func (o *sendOptions) preview(c *cobra.Command, api *griot.Client) error {
	p, err := api.Preview(c.Context(), &o.m)
	if err != nil {
		return failed(err)
	}
	warn(c, p.Warnings)
	if o.json {
		return printJSON(c.OutOrStdout(), p.Raw)
	}
	return table(c.OutOrStdout(), func(w io.Writer) {
		for i, route := range p.Route {
			name := "then by"
			if i == 0 {
				name = "goes by"
			}
			row(w, name, fmt.Sprintf("%s from %s", route.Channel, plain(route.From)))
		}
		if p.Sandbox {
			row(w, "sandbox", "nothing would be sent")
		}
		row(w, "characters", p.Characters)
		if p.Segments > 0 {
			row(w, "as SMS", fmt.Sprintf("%d, %s", p.Segments, p.Encoding))
		}
		row(w, "used", used(p.MessagesUsed, p.Limit))
	})
}

// warn prints which members of the message were ignored.
func warn(c *cobra.Command, warnings []griot.Warning) {
	for _, w := range warnings {
		fmt.Fprintf(c.ErrOrStderr(), "griot: note: %s: %s\n", plain(w.Field), plain(w.Message))
	}
}

// used returns how much of the day's quota is used.
func used(n, limit int64) string {
	if limit > 0 {
		return fmt.Sprintf("%d of %d today", n, limit)
	}
	return fmt.Sprintf("%d today", n)
}

// refused shows the message that an error is about, if there is one: it can be looked up.
func (o *sendOptions) refused(c *cobra.Command, err error) error {
	e, ok := errors.AsType[*griot.Error](err)
	if !ok || e.MessageID == "" {
		return failed(err)
	}
	shown := error(nil)
	if o.json {
		shown = printJSON(c.OutOrStdout(), e.Raw)
	} else {
		shown = table(c.OutOrStdout(), func(w io.Writer) {
			row(w, "message", e.MessageID)
			row(w, "status", e.MessageStatus)
			if e.Reason != "" {
				row(w, "reason", e.Reason)
			}
		})
	}
	return errors.Join(shown, failed(err))
}

func showResult(w io.Writer, res *griot.Result) {
	row(w, "message", res.MessageID)
	status := string(res.Status)
	if res.Deduplicated {
		status += "  (sent before under this key)"
	}
	if res.PayloadMismatch {
		status += "  (what was sent then was something else)"
	}
	row(w, "status", status)
	row(w, "channel", res.Channel)
	row(w, "to", plain(res.To))
	row(w, "used", used(res.MessagesUsed, res.Limit))
}

// message fills in what is to be sent.
func (o *sendOptions) message(c *cobra.Command, args []string) (err error) {
	if o.m.To == "" {
		return usage("--to is missing")
	}
	o.m.Channel = griot.Channel(o.channel)
	if o.m.Channel == "" {
		o.m.Channel = griot.Auto
		if strings.Contains(o.m.To, "@") {
			o.m.Channel = griot.Email
		}
	}
	if o.m.ScheduledAt, err = pointInTime("schedule", o.schedule, false); err != nil {
		return err
	}
	if o.m.ExpiresAt, err = pointInTime("expires", o.expires, false); err != nil {
		return err
	}
	if o.fallbackAfter < 0 || o.fallbackAfter%time.Second != 0 {
		return usage("--fallback-after is whole seconds, such as 30s")
	}
	o.m.FallbackAfter = int(o.fallbackAfter / time.Second)
	if o.m.Retry, err = retryOf(o.retry); err != nil {
		return err
	}
	if o.m.Metadata, err = metadataOf(o.metadata); err != nil {
		return err
	}
	return o.content(c, args)
}

// metadataOf reads the values of a flag that is given NAME=VALUE.
func metadataOf(flag []string) (map[string]string, error) {
	var all map[string]string
	for _, v := range flag {
		name, value, ok := strings.Cut(v, "=")
		if !ok || name == "" {
			return nil, usage("--metadata is NAME=VALUE")
		}
		if all == nil {
			all = map[string]string{}
		}
		all[name] = value
	}
	return all, nil
}

func retryOf(flag string) (*griot.Retry, error) {
	switch flag {
	case "":
		return nil, nil //nolint:nilnil // no retry is an answer
	case "default":
		return &griot.Retry{}, nil
	}
	n, err := strconv.Atoi(flag)
	if err != nil || n < 1 {
		return nil, usage("--retry is how many attempts to make in all, such as --retry=5")
	}
	return &griot.Retry{MaxAttempts: n}, nil
}

// content reads the text, the HTML and the preset's variables from where they are.
func (o *sendOptions) content(c *cobra.Command, args []string) error {
	if o.htmlFile != "" {
		b, err := os.ReadFile(o.htmlFile)
		if err != nil {
			return usage("--html-file: %w", err)
		}
		o.m.HTML = string(b)
	}
	if o.formsFile != "" {
		b, err := os.ReadFile(o.formsFile)
		if err != nil {
			return usage("--whatsapp-file: %w", err)
		}
		d := json.NewDecoder(bytes.NewReader(b))
		d.DisallowUnknownFields()
		if err := d.Decode(&o.m.WhatsApp); err != nil {
			return usage("--whatsapp-file: %w", err)
		}
	}
	for _, v := range o.vars {
		name, value, ok := strings.Cut(v, "=")
		if !ok || name == "" {
			return usage("--var is NAME=VALUE")
		}
		value, err := o.value(c, value)
		if err != nil {
			return err
		}
		if o.m.PresetVariables == nil {
			o.m.PresetVariables = map[string]string{}
		}
		o.m.PresetVariables[name] = value
	}
	if len(args) == 0 {
		if o.m.Preset == "" && o.m.MediaURL == "" && o.m.HTML == "" {
			return usage("there is nothing to send: give a text, or - to read it from standard input")
		}
		return nil
	}
	if args[0] != "-" && o.m.Sensitive {
		fmt.Fprintln(c.ErrOrStderr(), "griot: note: everyone on this machine can read arguments; a sensitive text is better piped in, with - in its place")
	}
	text, err := o.value(c, args[0])
	o.m.Text = text
	return err
}

// value returns an argument, or standard input for a -, without the end of the line.
func (o *sendOptions) value(c *cobra.Command, s string) (string, error) {
	if s != "-" {
		return s, nil
	}
	if o.stdinReads++; o.stdinReads > 1 {
		return "", usage("standard input can be only one thing: there is more than one -")
	}
	b, err := io.ReadAll(io.LimitReader(c.InOrStdin(), maxStdin+1))
	if err == nil && len(b) > maxStdin {
		err = usage("standard input has more than 1 MB")
	}
	return strings.TrimSuffix(strings.TrimSuffix(string(b), "\n"), "\r"), err
}

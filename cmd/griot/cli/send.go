package cli

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	griot "example.com/griot/client"
	"example.com/griot/cmd/griot/console"
	"example.com/griot/cmd/griot/exit"
)

// maxStdin is larger than the longest text. The service refuses texts that are too long.
const maxStdin = 1 << 20

// sendOptions are the flags of send.
type sendOptions struct {
	connection
	messageFlags
	m              griot.Message
	to, country    string
	channel        string
	vars, metadata []string
	retry          string
	fallbackAfter  time.Duration
	wait           time.Duration
	stdinReads     int // number of values to read from standard input
}

func sendCommand(options *Options) *cobra.Command {
	o := &sendOptions{connection: connection{o: options}}
	c := &cobra.Command{
		Use: "send --to TO [--channel CHANNEL] [flags] [TEXT]", Short: "Send a message",
		Long: `Send a message. TEXT is the message. With -, the command reads it from standard
input. Do this for codes and other secrets, because everyone on the machine can
read arguments.`,
		Example: `  griot send --to +22370112233 "Your order 2041 has left."
  griot send --to 70112233 --country ML --channel sms --dry-run "Votre commande 2041 est en route."
  griot send --to awa@example.com --subject "Order 2041" --html-file order.html "Your order 2041 has left."
  griot send --to +22370112233 --preset order_shipped --var orderId=2041 --wait
  griot send --to +22370112233 --channel sms --sensitive - < code.txt`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return exit.Usage("%s takes one text: put it in quotes", c.CommandPath())
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return o.run(c, args) },
	}
	f := c.Flags()
	f.SortFlags = false
	f.StringVar(&o.to, "to", "", "phone number with its +, or email address")
	channelFlag(c, &o.channel)
	countryFlag(c, &o.country)
	f.BoolVar(&o.m.DryRun, "dry-run", false, "only show the route and the costs")
	f.BoolVar(&o.yes, "yes", false, "send the message at once if --schedule has passed, without asking")
	waitFlag(c, &o.wait)
	f.StringVar(&o.m.Subject, "subject", "", "subject of an email")
	o.define(c)
	presetFlag(c, &o.m.Preset, &o.connection)
	f.StringArrayVar(&o.vars, "var", nil, "variable of the preset: NAME=VALUE (VALUE -: standard input); repeat the flag for more")
	f.StringVar(&o.m.MediaURL, "media", "", "URL of an attachment (WhatsApp)")
	f.StringVar(&o.m.Caption, "caption", "", "caption of the attachment")
	senderFlag(c, &o.m.SenderID, &o.connection)
	f.StringVar(&o.m.GroupID, "group", "", "ID of the WhatsApp group to send to (...@g.us)")
	f.StringVar(&o.m.Email, "email", "", "with auto: email address to use as the last channel")
	f.DurationVar(&o.fallbackAfter, "fallback-after", 0, "with auto: time to wait for a delivery before the next channel")
	f.StringVar(&o.retry, "retry", "", "retry if the gateway fails; --retry=5 means five attempts in total")
	f.Lookup("retry").NoOptDefVal = "default"
	f.StringArrayVar(&o.metadata, "metadata", nil, "metadata of the message: NAME=VALUE; repeat the flag for more")
	f.StringVar(&o.m.IdempotencyKey, "idempotency-key", "", "key that prevents a repeated request from sending again")
	f.BoolVar(&o.m.Sensitive, "sensitive", false, "keep the content out of histories")
	f.BoolVar(&o.m.Sandbox, "sandbox", false, "only simulate the message")
	o.flags(c)
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
	if note := passed(&o.m); note != "" {
		if err := o.confirm(c, note+". Send the message now?", note+": leave it out or use --yes to send the message now"); err != nil {
			return err
		}
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
		o.noteTimes(c)
		err = printJSON(c.OutOrStdout(), res.Raw)
	} else {
		err = showResult(c.OutOrStdout(), res, o.scheduled(c, api, res))
	}
	if err == nil && res.Status.HasFailed() { // a service of release 0.1.0 responds with 200 to a replay of an expired message
		err = &exit.Error{Code: exit.CodeFailed, Err: errors.New("the message of this idempotency key wasn't delivered: " + string(res.Status))}
	}
	return err
}

// preview shows the preview of the message.
func (o *sendOptions) preview(c *cobra.Command, api *griot.Client) error {
	p, err := api.Preview(c.Context(), &o.m)
	if err != nil {
		return o.failed(err)
	}
	warn(c, p.Warnings)
	if o.json {
		o.noteTimes(c)
		return printJSON(c.OutOrStdout(), p.Raw)
	}
	return console.Columns(c.OutOrStdout(), func(w io.Writer) {
		times(w, &o.m)
		for i, route := range p.Route {
			name := "then"
			if i == 0 {
				name = "route"
			}
			console.Row(w, name, fmt.Sprintf("%s from %s", route.Channel, console.Plain(route.From)))
		}
		if p.Sandbox {
			console.Row(w, "sandbox", "the message would only be simulated")
		}
		console.Row(w, "characters", p.Characters)
		if p.Segments > 0 {
			console.Row(w, "as SMS", fmt.Sprintf("%d, %s", p.Segments, p.Encoding))
		}
		console.Row(w, "used", used(p.MessagesUsed, p.Limit))
	})
}

// noteTimes names the times that were typed without a zone on standard error, because the service's response doesn't
// contain them.
func (o *sendOptions) noteTimes(c *cobra.Command) {
	for _, of := range []struct {
		flag, typed string
		at          time.Time
	}{{"schedule", o.schedule, o.m.ScheduledAt}, {"expires", o.expires, o.m.ExpiresAt}} {
		if !of.at.IsZero() && !withZone.MatchString(of.typed) {
			fmt.Fprintf(c.ErrOrStderr(), "griot: note: --%s is %s\n", of.flag, console.Time(of.at))
		}
	}
}

// withZone matches a time with its zone (Z, CET, +01:00), and a duration.
var withZone = regexp.MustCompile(`[A-Za-z]\s*$|[+-][0-9]{2}:?[0-9]{2}\s*$`)

// scheduled returns the time at which the message will be sent. It is zero if the message isn't scheduled, or if the
// time of an earlier message with the same idempotency key is unknown.
func (o *sendOptions) scheduled(c *cobra.Command, api *griot.Client, res *griot.Result) time.Time {
	switch {
	case res.Status != griot.Scheduled:
		return time.Time{}
	case !res.Deduplicated:
		return o.m.ScheduledAt
	}
	s, err := api.Status(c.Context(), res.MessageID)
	if err != nil {
		return time.Time{} // the message is stored, and griot status shows its time
	}
	return s.ScheduledAt
}

// warn prints the ignored fields of the message.
func warn(c *cobra.Command, warnings []griot.Warning) {
	for _, w := range warnings {
		fmt.Fprintf(c.ErrOrStderr(), "griot: note: %s: %s\n", console.Plain(w.Field), console.Plain(w.Message))
	}
}

// used returns the used part of the day's quota.
func used(n, limit int64) string {
	if limit > 0 {
		return fmt.Sprintf("%d of %d today", n, limit)
	}
	return fmt.Sprintf("%d today", n)
}

// refused shows the message of an error, if there is one, so that it can be looked up.
func (o *sendOptions) refused(c *cobra.Command, err error) error {
	e, ok := errors.AsType[*griot.Error](err)
	if !ok || e.MessageID == "" {
		return o.failed(err)
	}
	shown := error(nil)
	if o.json {
		shown = printJSON(c.OutOrStdout(), e.Raw)
	} else {
		shown = console.Columns(c.OutOrStdout(), func(w io.Writer) {
			console.Row(w, "message", e.MessageID)
			console.Row(w, "status", e.MessageStatus)
			if e.Reason != "" {
				console.Row(w, "reason", e.Reason)
			}
		})
	}
	return errors.Join(shown, o.failed(err))
}

func showResult(out io.Writer, res *griot.Result, scheduled time.Time) error {
	return console.Columns(out, func(w io.Writer) {
		console.Row(w, "message", res.MessageID)
		status := console.Word(out, string(res.Status))
		if res.Deduplicated {
			status += "  (already sent with this idempotency key)"
		}
		if res.PayloadMismatch {
			status += "  (with different content)"
		}
		console.Row(w, "status", status)
		if !scheduled.IsZero() {
			console.Row(w, "scheduled", console.Time(scheduled))
		}
		console.Row(w, "channel", res.Channel)
		console.Row(w, "to", console.Plain(res.To))
		console.Row(w, "used", used(res.MessagesUsed, res.Limit))
	})
}

// message fills in the message.
func (o *sendOptions) message(c *cobra.Command, args []string) (err error) {
	if o.to == "" {
		return exit.Usage("--to is missing")
	}
	if o.m.To, err = recipient(o.to, o.country); err != nil {
		return err
	}
	o.m.Channel = channelFor(o.channel, o.m.To)
	if o.fallbackAfter < 0 || o.fallbackAfter%time.Second != 0 {
		return exit.Usage("--fallback-after must be whole seconds, such as 30s")
	}
	o.m.FallbackAfter = int(o.fallbackAfter / time.Second)
	if o.m.Retry, err = retryOf(o.retry); err != nil {
		return err
	}
	if o.m.Metadata, err = pairs("metadata", o.metadata); err != nil {
		return err
	}
	return o.content(c, args)
}

// pairs parses the values of a flag with the format NAME=VALUE.
func pairs(flag string, values []string) (map[string]string, error) {
	var all map[string]string
	for _, v := range values {
		name, value, ok := strings.Cut(v, "=")
		if !ok || name == "" {
			return nil, exit.Usage("--%s must be NAME=VALUE", flag)
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
		return nil, exit.Usage("--retry must be the total number of attempts, such as --retry=5")
	}
	return &griot.Retry{MaxAttempts: n}, nil
}

// argumentsNote begins the notes about secrets in arguments.
const argumentsNote = "griot: note: everyone on this machine can read arguments; "

// content reads the text, the HTML, and the preset's variables from their sources.
func (o *sendOptions) content(c *cobra.Command, args []string) error {
	if err := o.read(&o.m); err != nil {
		return err
	}
	variables, err := pairs("var", o.vars)
	if err != nil {
		return err
	}
	if code := variables["code"]; o.m.Preset == "otp" && code != "" && code != "-" {
		fmt.Fprintln(c.ErrOrStderr(), argumentsNote+"to protect a code, use --var code=- and send it to standard input")
	}
	for name, value := range variables {
		if variables[name], err = o.value(c, value); err != nil {
			return err
		}
	}
	o.m.PresetVariables = variables
	if len(args) == 0 {
		if o.m.Preset == "" && o.m.MediaURL == "" && o.m.HTML == "" {
			return exit.Usage("the message has no text: give a text, or - to read it from standard input")
		}
		return nil
	}
	if args[0] != "-" && o.m.Sensitive {
		fmt.Fprintln(c.ErrOrStderr(), argumentsNote+"to protect a sensitive text, use - and send it to standard input")
	}
	text, err := o.value(c, args[0])
	o.m.Text = text
	return err
}

// value returns an argument, or the content of standard input for "-", without the final line end.
func (o *sendOptions) value(c *cobra.Command, s string) (string, error) {
	if s != "-" {
		return s, nil
	}
	if o.stdinReads++; o.stdinReads > 1 {
		return "", exit.Usage("only one argument can be -, because there is only one standard input")
	}
	return readText(c.InOrStdin())
}

// readText reads a text without its final line end.
func readText(in io.Reader) (string, error) {
	b, err := io.ReadAll(io.LimitReader(in, maxStdin+1))
	if err == nil && len(b) > maxStdin {
		err = exit.Usage("standard input contains more than 1 MB")
	}
	return strings.TrimSuffix(strings.TrimSuffix(string(b), "\n"), "\r"), err
}

package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	griot "example.com/griot/client"
	"example.com/griot/cmd/griot/console"
	"example.com/griot/cmd/griot/exit"
	"example.com/griot/internal/phone"
	"example.com/griot/internal/visible"
	"example.com/griot/internal/whatsappid"
)

// messageFlags are the flags of send and batch that fill in a message or confirm it.
type messageFlags struct {
	htmlFile, formsFile string
	schedule, expires   string
	yes                 bool
}

func (o *messageFlags) define(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&o.htmlFile, "html-file", "", "file with the HTML of an email")
	f.StringVar(&o.formsFile, "whatsapp-file", "", "file with the JSON of a WhatsApp template, buttons, a list, or a link below the text")
	f.StringVar(&o.schedule, "schedule", "", "scheduled time: 2026-03-01T08:00 in this machine's time zone, 2026-03-01T08:00:00Z, or 2h from now")
	f.StringVar(&o.expires, "expires", "", "expiry time of the message: a time, or a duration from now")
	_ = c.MarkFlagFilename("html-file")
	_ = c.MarkFlagFilename("whatsapp-file", "json")
}

// passed returns the note for a scheduled time that has passed, or an empty text. The service sends such a message at
// once.
func passed(m *griot.Message) string {
	if m.ScheduledAt.IsZero() || m.ScheduledAt.After(time.Now()) {
		return ""
	}
	return "--schedule " + console.Time(m.ScheduledAt) + " has passed"
}

// times writes the rows for the times of a message.
func times(w io.Writer, m *griot.Message) {
	if note := passed(m); note != "" {
		console.Row(w, "scheduled", console.Time(m.ScheduledAt)+", which has passed: it would be sent at once")
	} else if !m.ScheduledAt.IsZero() {
		console.Row(w, "scheduled", console.Time(m.ScheduledAt))
	}
	if !m.ExpiresAt.IsZero() {
		console.Row(w, "expires", console.Time(m.ExpiresAt))
	}
}

// confirm asks a question on a terminal. Elsewhere, only --yes confirms what the command is about to do.
func (o *messageFlags) confirm(c *cobra.Command, question, unanswered string) error {
	if o.yes {
		return nil
	}
	if !console.AsksPeople(c.InOrStdin()) {
		return exit.Usage("%s", unanswered)
	}
	_, _ = fmt.Fprintf(c.ErrOrStderr(), "\n%s [yes/no] ", question)
	if answer, err := console.Answer(c.InOrStdin()); answer != "yes" && answer != "y" {
		return &exit.Error{Code: exit.CodeUsage, Err: errors.Join(errors.New("nothing was sent"), ignoreEnd(err))}
	}
	return nil
}

// ignoreEnd ignores the end of the input, which counts as an answer.
func ignoreEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// read fills the message in.
func (o *messageFlags) read(m *griot.Message) (err error) {
	if m.ScheduledAt, err = pointInTime("schedule", o.schedule, false); err != nil {
		return err
	}
	if m.ExpiresAt, err = pointInTime("expires", o.expires, false); err != nil {
		return err
	}
	if o.htmlFile != "" {
		b, err := os.ReadFile(o.htmlFile)
		if err != nil {
			return exit.Usage("--html-file: %w", err)
		}
		m.HTML = string(b)
	}
	if o.formsFile == "" {
		return nil
	}
	b, err := os.ReadFile(o.formsFile)
	if err != nil {
		return exit.Usage("--whatsapp-file: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&m.WhatsApp); err != nil {
		return exit.Usage("--whatsapp-file: %w", err)
	}
	return nil
}

func channelFlag(c *cobra.Command, to *string) {
	c.Flags().StringVar(to, "channel", "", "whatsapp, sms, email, or auto (default: email for an email address, otherwise auto)")
	_ = c.RegisterFlagCompletionFunc("channel", cobra.FixedCompletions(
		[]string{string(griot.WhatsApp), string(griot.SMS), string(griot.Email), string(griot.Auto)}, cobra.ShellCompDirectiveNoFileComp))
}

func countryFlag(c *cobra.Command, to *string) {
	c.Flags().StringVar(to, "country", "", "country of numbers without a +: its code (ML) or its calling code (223)")
}

func presetFlag(c *cobra.Command, to *string, o *connection) {
	c.Flags().StringVar(to, "preset", "", "preset text of the service, instead of TEXT")
	_ = c.RegisterFlagCompletionFunc("preset", o.completePresets)
}

func senderFlag(c *cobra.Command, to *string, o *connection) {
	c.Flags().StringVar(to, "sender", "", "ID of the account's sender to use")
	_ = c.RegisterFlagCompletionFunc("sender", o.completeSenders)
}

// recipient returns an address in the service's format. A number without its plus can belong to any country, so the
// country must be given.
func recipient(to, country string) (string, error) { return address(to, country, phone.Region.Read) }

// known is like recipient, for an address to look up. A number with a plus can have any length, because programs might
// have sent to it.
func known(to, country string) (string, error) {
	return address(to, country, func(r phone.Region, s string) (phone.Number, error) {
		if strings.HasPrefix(strings.TrimSpace(s), "+") {
			return phone.Lookup(s)
		}
		return r.Read(s)
	})
}

func address(to, country string, read func(phone.Region, string) (phone.Number, error)) (string, error) {
	if pasted, ok := visible.Address(to); strings.Contains(pasted, "@") || whatsappid.Is(pasted) {
		if !ok {
			return "", exit.Usage("--to must not contain invisible characters: type the address")
		}
		return pasted, nil
	}
	var region phone.Region
	if country != "" {
		var err error
		if region, err = regionOf(country); err != nil {
			return "", err
		}
	}
	n, err := read(region, to)
	wrong, _ := errors.AsType[*phone.ReadError](err)
	switch {
	case err == nil:
		return n.E164(), nil
	case wrong.Problem == phone.ProblemNoCountry, wrong.Problem == phone.ProblemPrefix:
		return "", exit.Usage("--to %w, or give its country with --country", err)
	case wrong.Problem == phone.ProblemCharacter:
		return "", exit.Usage("--to %w, or use an email address or a WhatsApp ID", err)
	}
	return "", exit.Usage("--to %w", err)
}

func regionOf(country string) (phone.Region, error) {
	region, ok := phone.ParseRegion(country)
	if !ok {
		return region, exit.Usage("--country must be a country code, such as ML, or a calling code, such as 223")
	}
	return region, nil
}

// channelFor returns the requested channel. The default for an email address is email.
func channelFor(asked, to string) griot.Channel {
	switch {
	case asked != "":
		return griot.Channel(asked)
	case strings.Contains(to, "@") && !whatsappid.Is(to):
		return griot.Email
	}
	return griot.Auto
}

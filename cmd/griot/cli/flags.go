package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"

	"github.com/spf13/cobra"

	griot "example.com/griot/client"
	"example.com/griot/cmd/griot/exit"
	"example.com/griot/internal/phone"
	"example.com/griot/internal/whatsappid"
)

// messageFlags are the flags of send and batch that fill in a message.
type messageFlags struct {
	htmlFile, formsFile string
	schedule, expires   string
}

func (o *messageFlags) define(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&o.htmlFile, "html-file", "", "file with the HTML of an email")
	f.StringVar(&o.formsFile, "whatsapp-file", "", "file with the JSON of a WhatsApp template, buttons, a list, or a link below the text")
	f.StringVar(&o.schedule, "schedule", "", "scheduled time: 2026-03-01T08:00:00Z, or 2h from now")
	f.StringVar(&o.expires, "expires", "", "expiry time of the message: a time, or a duration from now")
	_ = c.MarkFlagFilename("html-file")
	_ = c.MarkFlagFilename("whatsapp-file", "json")
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
func recipient(to, country string) (string, error) {
	if trimmed := strings.TrimSpace(to); strings.Contains(trimmed, "@") || whatsappid.Is(trimmed) {
		return trimmed, nil
	}
	if country != "" {
		region, err := regionOf(country)
		if err != nil {
			return "", err
		}
		if n, ok := region.Parse(to); ok {
			return n.E164(), nil
		}
		return "", exit.Usage("--to isn't a number of the country %s", country)
	}
	typed := phone.Typed(to)
	if !strings.HasPrefix(typed, "+") {
		return "", exit.Usage("--to must be a number with a + and the country code, such as +22370112233, a number of --country, an email address, or a WhatsApp ID")
	}
	n, ok := phone.Parse(typed)
	if !ok {
		return "", exit.Usage("--to isn't a phone number: use a + and 8 to 15 digits")
	}
	return n.E164(), nil
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

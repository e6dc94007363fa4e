package cli

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	griot "example.com/griot/client"
	"example.com/griot/cmd/griot/console"
	"example.com/griot/cmd/griot/exit"
)

const maxCode = 64 // maximum length of a typed code

func otpCommand(options *Options) *cobra.Command {
	c := &cobra.Command{
		Use: "otp", Short: "Send and verify one-time codes",
		Example: `  griot otp send --to +22370112233 --app Boutique
  griot otp verify --to +22370112233`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return exit.Usage("%s needs one of: send, verify", c.CommandPath())
		},
	}
	c.AddCommand(otpSendCommand(options), otpVerifyCommand(options))
	return c
}

func otpSendCommand(options *Options) *cobra.Command {
	o := &connection{o: options}
	r := griot.CodeRequest{}
	to, country, channel, ttl := "", "", "", time.Duration(0)
	c := &cobra.Command{
		Use: "send --to NUMBER [flags]", Short: "Send a one-time code",
		Example: `  griot otp send --to +22370112233
  griot otp send --to +22370112233 --channel sms --app Boutique --locale en --ttl 2m
  griot otp send --to 70112233 --country ML --sandbox --json`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) (err error) {
			if to == "" {
				return exit.Usage("--to is missing")
			}
			if r.To, err = recipient(to, country); err != nil {
				return err
			}
			if ttl < 0 || ttl%time.Second != 0 {
				return exit.Usage("--ttl must be whole seconds, such as 2m")
			}
			r.Channel, r.TTLSeconds = griot.Channel(channel), int(ttl/time.Second)
			api, err := o.client()
			if err != nil {
				return err
			}
			ch, err := api.SendCode(c.Context(), &r)
			if err != nil {
				return o.failed(err)
			}
			if o.json {
				return printJSON(c.OutOrStdout(), ch.Raw)
			}
			return console.Columns(c.OutOrStdout(), func(w io.Writer) {
				console.Row(w, "challenge", ch.ChallengeID)
				console.Row(w, "message", ch.MessageID)
				console.Row(w, "channel", ch.Channel)
				console.Row(w, "expires", console.Time(ch.Expires()))
				console.Row(w, "used", used(ch.MessagesUsed, ch.Limit))
			})
		},
	}
	f := c.Flags()
	f.SortFlags = false
	f.StringVar(&to, "to", "", "phone number with its +")
	countryFlag(c, &country)
	f.StringVar(&channel, "channel", "", "whatsapp, sms, or auto (default: auto)")
	f.StringVar(&r.App, "app", "", "name of the application that requests the code; with an https origin, browsers can fill in the code")
	f.StringVar(&r.Locale, "locale", "", "language of the message: fr or en (default: fr)")
	f.DurationVar(&ttl, "ttl", 0, "validity period of the code: 1m to 15m (default: 5m)")
	f.IntVar(&r.Length, "length", 0, "number of digits: 4 to 8 (default: 6)")
	f.StringVar(&r.IdempotencyKey, "idempotency-key", "", "key that prevents a repeated request from sending again")
	f.BoolVar(&r.Sandbox, "sandbox", false, "only simulate the message")
	o.flags(c)
	none := cobra.ShellCompDirectiveNoFileComp
	_ = c.RegisterFlagCompletionFunc("channel", cobra.FixedCompletions([]string{string(griot.WhatsApp), string(griot.SMS), string(griot.Auto)}, none))
	_ = c.RegisterFlagCompletionFunc("locale", cobra.FixedCompletions([]string{"fr", "en"}, none))
	return c
}

func otpVerifyCommand(options *Options) *cobra.Command {
	o := &connection{o: options}
	g := griot.Guess{}
	to, country := "", ""
	c := &cobra.Command{
		Use: "verify [CHALLENGE | --to NUMBER]", Short: "Verify a one-time code",
		Long: `Verify a one-time code that a person entered. Name its CHALLENGE (otp_...), or
its number for the latest code. On a terminal, the command asks for the code.
Otherwise, it reads the code from standard input, because everyone on the
machine can read arguments.`,
		Example: `  griot otp verify otp_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
  griot otp verify --to +22370112233 < code.txt`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 || (len(args) == 1) == (to != "") {
				return exit.Usage("%s needs a CHALLENGE (otp_...) or --to; the code is read from standard input", c.CommandPath())
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) (err error) {
			if len(args) == 1 {
				g.ChallengeID = args[0]
			} else if g.To, err = known(to, country); err != nil {
				return err
			}
			api, err := o.client()
			if err != nil {
				return err
			}
			if g.Code, err = console.Secret(c.Context(), c.InOrStdin(), c.ErrOrStderr(), "Code: ", maxCode); err != nil {
				return exit.Usage("the code: %w", err)
			}
			if g.Code == "" {
				return exit.Usage("standard input contains no code")
			}
			if err := api.VerifyCode(c.Context(), &g); err != nil {
				return o.failed(err)
			}
			if o.json {
				_, err = fmt.Fprintln(c.OutOrStdout(), `{"success":true,"valid":true}`)
				return err
			}
			_, err = fmt.Fprintln(c.OutOrStdout(), "valid")
			return err
		},
	}
	f := c.Flags()
	f.SortFlags = false
	f.StringVar(&to, "to", "", "phone number whose latest code to verify, instead of a CHALLENGE")
	countryFlag(c, &country)
	f.BoolVar(&g.Sandbox, "sandbox", false, "verify a simulated code")
	o.flags(c)
	return c
}

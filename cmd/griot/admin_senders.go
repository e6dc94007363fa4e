package main

import (
	"cmp"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"example.com/griot/cmd/griot/console"
	messagingadmin "example.com/griot/messaging/admin"
)

func adminSenders(o *adminOptions) *cobra.Command {
	return group("senders", "Numbers and addresses that messages come from", sendersAdd(o), sendersList(o), sendersWarmUp(o), sendersPause(o, "pause", "Let a sender send nothing until it is resumed; routes skip it"), sendersPause(o, "resume", "Let a paused sender send again"), sendersRemove(o), sendersPair(o))
}

func showSenders(w io.Writer, senders []messagingadmin.Sender) {
	console.Row(w, "SENDER", "CHANNEL", "ADDRESS", "GATEWAY", "POSITION", "PLATFORM", "WARM-UP")
	for _, s := range senders {
		console.Row(w, s.ID, s.Channel, s.Address, s.Gateway, s.Position, s.Platform, shownWarmUp(s.WarmUp))
	}
}

func shownWarmUp(u *messagingadmin.WarmUp) string {
	if u == nil || u.Days == 0 {
		return ""
	}
	s := fmt.Sprintf("%d, doubled for %d days", u.First, u.Days)
	if u.Since != nil {
		s += ", from " + u.Since.Format(time.DateOnly)
	}
	return s
}

// warmUpFlags are --warm-up and --warm-up-days.
func warmUpFlags(c *cobra.Command, u *messagingadmin.WarmUp) {
	f := c.Flags()
	f.Int64Var(&u.First, "warm-up", 0, "messages that it may send today; twice as many tomorrow, and so on")
	f.Int64Var(&u.Days, "warm-up-days", 0, "after so many days there is no limit")
	c.MarkFlagsRequiredTogether("warm-up", "warm-up-days")
}

func sendersAdd(o *adminOptions) *cobra.Command {
	in, warm := messagingadmin.SenderInput{}, messagingadmin.WarmUp{}
	position := 0
	c := &cobra.Command{
		Use: "add [--account ACCOUNT] --channel CHANNEL --address ADDRESS --gateway NAME", Short: "Add a sender to an account, or without one to the platform", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			given(c, "position", &position, &in.Position)
			given(c, "warm-up", &warm, &in.WarmUp)
			return runVerb(c, o, "senders.add", in, func(w io.Writer, s messagingadmin.Sender) { showSenders(w, []messagingadmin.Sender{s}) })
		},
	}
	f := c.Flags()
	f.StringVar(&in.Account, "account", "", "whose (an id, or the owner's e-mail address); without it, every account's")
	f.StringVar(&in.Channel, "channel", "", "whatsapp, sms or email")
	f.StringVar(&in.Address, "address", "", "an E.164 number, for SMS perhaps a short code, or an e-mail address")
	f.StringVar(&in.Gateway, "gateway", "", "the name of one of the gateways (gateways list)")
	f.IntVar(&position, "position", 0, "its place among the account's senders of the channel (default: the last)")
	warmUpFlags(c, &warm)
	required(c, "channel", "address", "gateway")
	return c
}

func sendersWarmUp(o *adminOptions) *cobra.Command {
	in, off := messagingadmin.SenderWarmUp{}, false
	c := &cobra.Command{
		Use: "warm-up SENDER --warm-up N --warm-up-days D | --off", Short: "Let a sender begin slowly from today, or let it go at once", Args: exactlyOne("SENDER: snd_..."),
		RunE: func(c *cobra.Command, args []string) error {
			if in.ID = args[0]; off {
				in.WarmUp = messagingadmin.WarmUp{}
			}
			return runVerb(c, o, "senders.warm", in, func(w io.Writer, s messagingadmin.SenderWarmUp) {
				console.Row(w, "sender", s.ID)
				console.Row(w, "warm-up", cmp.Or(shownWarmUp(&s.WarmUp), "none"))
			})
		},
	}
	warmUpFlags(c, &in.WarmUp)
	c.Flags().BoolVar(&off, "off", false, "end its warm-up")
	c.MarkFlagsOneRequired("warm-up", "off")
	c.MarkFlagsMutuallyExclusive("warm-up", "off")
	return c
}

func sendersList(o *adminOptions) *cobra.Command {
	of, page := messagingadmin.OfAccount{}, messagingadmin.SenderSearch{}
	c := &cobra.Command{
		Use: "list [--account ACCOUNT | --find TEXT]", Short: "List all senders, newest first, the platform's too; or those of an account, in the order of their positions", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if of.Account != "" {
				return runVerb(c, o, "senders.list", of, showSenders)
			}
			found, err := verbResult(c, o, "senders.find", page, showFoundSenders)
			if err == nil && found.Next != "" && !o.json {
				_, err = fmt.Fprintln(c.ErrOrStderr(), "There are more: --before "+found.Next)
			}
			return err
		},
	}
	f := c.Flags()
	f.StringVar(&of.Account, "account", "", "whose (an id, or the owner's e-mail address); without it, everybody's")
	f.StringVar(&page.Text, "find", "", "a part of an address or of an account's name, or an account's id")
	f.IntVar(&page.Limit, "limit", defaultSenders, "how many, at most 1000")
	f.StringVar(&page.Before, "before", "", "the last sender of the page before")
	for _, flag := range []string{"find", "limit", "before"} {
		c.MarkFlagsMutuallyExclusive("account", flag)
	}
	return c
}

const defaultSenders = 100

func showFoundSenders(w io.Writer, page messagingadmin.SenderPage) {
	console.Row(w, "SENDER", "CHANNEL", "ADDRESS", "GATEWAY", "ACCOUNT", "NAME", "STATE", "PAUSED SINCE", "WARM-UP")
	for _, s := range page.Senders {
		console.Row(w, s.ID, s.Channel, s.Address, s.Gateway, cmp.Or(s.AccountID, "platform"), s.AccountName, s.State, optionalTime(s.PausedAt), shownWarmUp(s.WarmUp))
	}
}

func sendersPause(o *adminOptions, name, short string) *cobra.Command {
	return &cobra.Command{
		Use: name + " SENDER", Short: short, Args: exactlyOne("SENDER: snd_..."),
		RunE: func(c *cobra.Command, args []string) error {
			return runVerb(c, o, "senders."+name, messagingadmin.ByID{ID: args[0]}, func(w io.Writer, s messagingadmin.FoundSender) {
				console.Row(w, "sender", s.ID)
				console.Row(w, "paused since", optionalTime(s.PausedAt))
			})
		},
	}
}

func sendersRemove(o *adminOptions) *cobra.Command {
	var in messagingadmin.SenderRemoval
	c := &cobra.Command{
		Use: "remove SENDER [--cancel | --reroute]", Short: "Remove a sender", Args: exactlyOne("SENDER: snd_..."),
		Long: "Remove a sender. While messages wait for it, this is refused with their number, unless a flag says what becomes of them. On a busy deployment, pause the sender first.",
		RunE: func(c *cobra.Command, args []string) error {
			for in.ID = args[0]; ; {
				out, raw, err := callVerb[messagingadmin.SenderRemoved](c.Context(), o, "senders.remove", in)
				if err != nil {
					return err
				}
				if in.Continue = out.Continue; in.Continue != nil {
					continue
				}
				return showResult(c, o, raw, func(w io.Writer) {
					console.Row(w, "removed", out.ID)
					switch {
					case in.Cancel:
						console.Row(w, "canceled", out.Changed)
					case in.Reroute:
						console.Row(w, "moved", out.Changed)
					}
				})
			}
		},
	}
	c.Flags().BoolVar(&in.Cancel, "cancel", false, "cancel the messages that wait for it")
	c.Flags().BoolVar(&in.Reroute, "reroute", false, "move the messages that wait for it to other senders, where they can be moved")
	c.MarkFlagsMutuallyExclusive("cancel", "reroute")
	return c
}

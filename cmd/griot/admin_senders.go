package main

import (
	"io"

	"github.com/spf13/cobra"

	houseadmin "griot/messaging/admin"
)

func adminSenders(o *adminOptions) *cobra.Command {
	return group("senders", "Numbers and addresses that messages come from", sendersAdd(o), sendersList(o), sendersRemove(o))
}

func showSenders(w io.Writer, senders []houseadmin.Sender) {
	row(w, "SENDER", "CHANNEL", "ADDRESS", "GATEWAY", "POSITION", "PLATFORM")
	for _, s := range senders {
		row(w, s.ID, s.Channel, s.Address, s.Gateway, s.Position, s.Platform)
	}
}

func sendersAdd(o *adminOptions) *cobra.Command {
	in := houseadmin.SenderInput{}
	position := 0
	c := &cobra.Command{
		Use: "add [--account ACCOUNT] --channel CHANNEL --address ADDRESS --gateway NAME", Short: "Add a sender to an account, or without one to the platform", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			given(c, "position", &position, &in.Position)
			return ask(c, o, "senders.add", in, func(w io.Writer, s houseadmin.Sender) { showSenders(w, []houseadmin.Sender{s}) })
		},
	}
	f := c.Flags()
	f.StringVar(&in.Account, "account", "", "whose (an id, or the owner's e-mail address); without it, every account's")
	f.StringVar(&in.Channel, "channel", "", "whatsapp, sms or email")
	f.StringVar(&in.Address, "address", "", "an E.164 number, or an e-mail address")
	f.StringVar(&in.Gateway, "gateway", "", "the name of one of the gateways (gateways list)")
	f.IntVar(&position, "position", 0, "its place among the account's senders of the channel (default: the last)")
	required(c, "channel", "address", "gateway")
	return c
}

func sendersList(o *adminOptions) *cobra.Command {
	in := houseadmin.OfAccount{}
	c := &cobra.Command{
		Use: "list [--account ACCOUNT]", Short: "List an account's senders, or without one the platform's", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return ask(c, o, "senders.list", in, showSenders) },
	}
	c.Flags().StringVar(&in.Account, "account", "", "whose (an id, or the owner's e-mail address); without it, every account's")
	return c
}

func sendersRemove(o *adminOptions) *cobra.Command {
	return &cobra.Command{
		Use: "remove SENDER", Short: "Remove a sender", Args: exactly("SENDER: snd_..."),
		RunE: func(c *cobra.Command, args []string) error {
			return ask(c, o, "senders.remove", houseadmin.ByID{ID: args[0]}, func(w io.Writer, d houseadmin.Done) { row(w, "removed", d.ID) })
		},
	}
}

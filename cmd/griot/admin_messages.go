package main

import (
	"io"

	"github.com/spf13/cobra"

	"example.com/griot/cmd/griot/console"
	messagingadmin "example.com/griot/messaging/admin"
)

func adminMessages(o *adminOptions) *cobra.Command {
	show := &cobra.Command{
		Use: "show MESSAGE", Short: "Show what became of any account's message: without its content, the recipient masked; the account's audit log says that it was looked at", Args: exactlyOne("MESSAGE: msg_..."),
		RunE: func(c *cobra.Command, args []string) error {
			return runVerb(c, o, "messages.show", messagingadmin.ByID{ID: args[0]}, showAnyMessage)
		},
	}
	return group("messages", "Messages of all accounts", show)
}

func showAnyMessage(w io.Writer, m messagingadmin.Message) {
	for _, line := range [][2]string{{"message", m.ID}, {"account", m.AccountID}, {"status", m.Status}, {"channel", m.Channel}, {"to", m.Recipient}, {"from", m.From}, {"gateway", m.Gateway}, {"provider's id", m.ProviderID}, {"error", m.Code}} {
		console.Row(w, line[0], line[1])
	}
	console.Row(w, "AT", "STATUS", "CHANNEL", "SENDER", "CODE", "PROVIDER'S CODE", "NOTE")
	for _, s := range m.Steps {
		console.Row(w, s.At, s.Status, s.Channel, s.SenderID, s.Code, s.ProviderCode, s.Note)
	}
}

package gatewaytest

import (
	"context"
	"errors"

	"example.com/griot/gateway"
)

// checkReplies checks that a reply arrives as a reply, with or without an attachment, and that the next message is not a reply.
func checkReplies(s Subject) error {
	first, err := s.deliver(0)
	if err != nil {
		return err
	}
	sent := []attempt{first}
	for n, of := range []gateway.Quote{
		{Quoted: gateway.Quoted{Ref: first.out.Ref, ProviderID: first.ack.ProviderID}, Text: first.out.Text},
		{Quoted: gateway.Quoted{ProviderID: "in-" + textWord}, Text: "Ça va ?"},
		{},
	} {
		out := s.message((n + 1) * len(s.To))  // to the same recipient
		out.ReplyTo, out.Sensitive = of, false // a message with a code is not a reply
		if n == 1 && deliversMedia(s) {
			out = attach(out, n, "image/png")
		}
		a, err := s.send(context.Background(), out)
		if err := errors.Join(err, a.accepted()); err != nil {
			return err
		}
		sent = append(sent, a)
	}
	return s.arrived(sent...)
}

package virtual

import (
	"context"
	"net/http"

	"example.com/griot/gateway"
	"example.com/griot/internal/id"
	"example.com/griot/internal/phone"
)

// AskForNumber implements [gateway.NumberAsker]. The phone shows the request as a message with a button.
func (g *Gateway) AskForNumber(ctx context.Context, r *gateway.NumberRequest) (gateway.Ack, error) {
	return g.send(ctx, &gateway.Outbound{Ref: r.Ref, Channel: gateway.WhatsApp, From: r.From, ToID: r.ToID, Text: r.Text}, forms{NumberRequest: true})
}

// shareNumber presses the button of a request. The phone writes its own number, which no other message can do.
func (g *Gateway) shareNumber(r *http.Request, body []byte) (int, any, error) {
	if err := decodeNothing(body); err != nil {
		return 0, nil, err
	}
	asked, err := g.contentOf(r)
	if err != nil {
		return 0, nil, err
	}
	if !asked.forms.NumberRequest {
		return 0, nil, badRequest("no_request", "The message does not ask for the number.")
	}
	now := g.now()
	m := &message{
		id: idPrefix + id.New(now), owner: asked.owner, direction: written, channel: gateway.WhatsApp, from: asked.owner, to: asked.from,
		typ: gateway.InboundContacts, text: phone.Number(asked.owner).E164(), at: now, status: statusSent,
	}
	p, _ := g.people.find(asked.owner)
	m.author = p.author()
	m.author.Shared = true
	if err := g.acceptInbound(r.Context(), m); err != nil {
		return 0, nil, err
	}
	return http.StatusCreated, m.answer(), nil
}

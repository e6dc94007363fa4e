package virtual

import (
	"context"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"example.com/griot/gateway"
	"example.com/griot/internal/id"
	"example.com/griot/internal/phone"
)

const (
	textMaxLength = 4096
	nameMaxLength = 100
	refMaxSize    = 256
	sinkTimeout   = 10 * time.Second
)

type messageAnswer struct {
	ID          string               `json:"id"`
	Direction   direction            `json:"direction"`
	Channel     gateway.Channel      `json:"channel"`
	From        string               `json:"from"`
	To          string               `json:"to"`
	Type        gateway.InboundType  `json:"type"`
	Text        *string              `json:"text"`
	HTML        *string              `json:"html"`
	Subject     *string              `json:"subject"`
	MediaURL    *string              `json:"mediaUrl"`
	MIMEType    *string              `json:"mimeType"`
	FileName    *string              `json:"fileName"`
	MediaSize   *int64               `json:"mediaSize"`
	MediaSHA256 *string              `json:"mediaSha256"`
	Interactive *gateway.Interactive `json:"interactive"`
	Template    *gateway.Template    `json:"template"`
	Choice      *gateway.Choice      `json:"choice"`
	ReplyTo     *string              `json:"replyTo"`
	At          *string              `json:"at"`
	Status      status               `json:"status"`
	Reference   *string              `json:"reference"`
	// NumberRequest is true for a request to share the number.
	NumberRequest bool `json:"numberRequest,omitempty"`
	// Revised is there if the person has edited or deleted the message.
	Revised revision `json:"revised,omitempty"`
}

func (m *message) answer() messageAnswer {
	a := messageAnswer{
		ID: m.id, Direction: m.direction, Channel: m.channel, From: m.from, To: m.to, Type: m.kind(),
		Text: nullable(m.text), HTML: nullable(m.html), Subject: nullable(m.subject),
		Interactive: m.forms.Interactive, Template: m.forms.Template, At: timestamp(m.at), Status: m.status, Reference: nullable(m.ref),
		NumberRequest: m.forms.NumberRequest, Revised: m.revised,
	}
	a.ReplyTo = nullable(m.reply.ReplyTo)
	if m.reply.Choice != (gateway.Choice{}) {
		a.Choice = &m.reply.Choice
	}
	if m.media != nil {
		a.MediaURL, a.MIMEType, a.FileName, a.MediaSHA256 = nullable(m.media.URL), nullable(m.media.MIME), nullable(m.media.Name), nullable(m.media.SHA256)
		if m.media.SHA256 != "" { // otherwise, the bytes are unknown
			a.MediaSize = &m.media.Size
		}
	}
	return a
}

func (g *Gateway) listMessages(r *http.Request) (any, error) {
	a, err := g.pathAddress(r)
	if err != nil {
		return nil, err
	}
	list, err := g.store.messages(r.Context(), a.key)
	if err != nil {
		return nil, err
	}
	answers, grouped := make([]messageAnswer, len(list)), map[string]string{}
	addGrouped(grouped, a.key)
	for i := range list {
		answers[i] = list[i].answer()
		addGrouped(grouped, list[i].from, list[i].to)
	}
	return map[string]any{"messages": answers, "grouped": grouped}, nil
}

func (g *Gateway) writeMessage(r *http.Request, body []byte) (int, any, error) {
	var in phoneMessage
	var recipient, name, replyTo string
	if err := decode(body, map[string]any{
		"channel": &in.channel, "to": &recipient, "text": &in.text, "displayName": &name,
		"type": &in.typ, "mediaUrl": &in.mediaURL, "mimeType": &in.mimeType, "fileName": &in.fileName,
		"choice": &in.choice, "replyTo": &replyTo,
	}); err != nil {
		return 0, nil, err
	}
	from, err := g.pathAddress(r)
	channel := gateway.Channel(in.channel)
	switch {
	case err != nil:
		return 0, nil, err
	case from.kind != kindPhone:
		return 0, nil, badRequest("invalid_address", "Only a phone can write.")
	case channel != gateway.WhatsApp && channel != gateway.SMS:
		return 0, nil, badRequest("invalid_channel", "The channel has to be whatsapp or sms.")
	case utf8.RuneCountInString(name) > nameMaxLength:
		return 0, nil, badRequest("invalid_display_name", "The display name has to have at most 100 characters.")
	}
	typ, attached, err := in.check()
	if err != nil {
		return 0, nil, err
	}
	to, err := g.contact(r.Context(), channel, recipient)
	if err != nil {
		return 0, nil, err
	}
	quoted, err := g.replyOf(r.Context(), from.key, &in, replyTo)
	if err != nil {
		return 0, nil, err
	}
	now := g.now()
	m := &message{
		id: idPrefix + id.New(now), owner: from.key, direction: written, channel: channel, from: from.key, to: string(to),
		typ: typ, text: in.text, media: attached, reply: quoted, name: name, at: now, status: statusSent,
	}
	if channel == gateway.WhatsApp {
		who, _ := g.people.find(from.key)
		m.author = who.author()
	}
	if err := g.acceptInbound(r.Context(), m); err != nil {
		return 0, nil, err
	}
	return http.StatusCreated, m.answer(), nil
}

// replyOf returns a phone message's choice, and the message in its list that it quotes.
func (g *Gateway) replyOf(ctx context.Context, owner string, in *phoneMessage, replyTo string) (a reply, err error) {
	if in.choice != nil {
		a.Choice = gateway.Choice{ID: in.choice.ID, Title: in.choice.Title}
	}
	if replyTo == "" {
		return a, nil
	}
	list, err := g.store.messages(ctx, owner)
	if err != nil {
		return a, err
	}
	for i := range list {
		if m := &list[i]; m.id == replyTo && m.channel == gateway.Channel(in.channel) {
			a.ReplyTo, a.Quoted = m.id, gateway.Quoted{Ref: m.ref}
			if m.direction == written {
				a.Quoted = gateway.Quoted{ProviderID: m.id}
			}
			return a, nil
		}
	}
	return a, badRequest("unknown_message", "The phone has no message with the id in replyTo on this channel.")
}

// contact returns one of our numbers if phones can write to it on the channel.
func (g *Gateway) contact(ctx context.Context, channel gateway.Channel, to string) (phone.Number, error) {
	want, ok := phone.Parse(to)
	if ok {
		contacts, err := g.contacts(ctx)
		if err != nil {
			return "", err
		}
		for _, c := range contacts {
			if n, ok := phone.Parse(c.Address); ok && n == want && c.Channel == channel {
				return want, nil
			}
		}
	}
	return "", badRequest("unknown_number", "Nobody receives messages on this channel at the number in to.")
}

// acceptInbound stores a phone's message and delivers it to the sink. If the sink refuses it, Run retries.
func (g *Gateway) acceptInbound(ctx context.Context, m *message) error {
	g.inRequest.add(m.id)
	defer signal(g.wakeInbound) // runs after the call on the next line
	defer g.inRequest.remove(m.id)
	seq, err := g.store.write(ctx, m)
	if err != nil {
		return err
	}
	deliverCtx, cancel := context.WithTimeout(ctx, sinkTimeout)
	defer cancel()
	err = g.sink.Inbound(deliverCtx, m.inbound())
	if err == nil {
		err = g.store.markInboundDelivered(context.WithoutCancel(ctx), []int64{seq})
	}
	if err != nil {
		g.log.WarnContext(ctx, "virtual phones: the sink has refused a phone's message; it is retried", "message", m.id, "err", err)
		return nil
	}
	m.status = statusDelivered
	return nil
}

func (g *Gateway) readMessage(r *http.Request, body []byte) (int, any, error) {
	if err := decodeNothing(body); err != nil {
		return 0, nil, err
	}
	a, err := g.pathAddress(r)
	if err != nil {
		return 0, nil, err
	}
	found, err := g.store.read(r.Context(), a.key, r.PathValue("id"), g.now())
	if err != nil {
		return 0, nil, err
	}
	if !found {
		return 0, nil, messageNotFound()
	}
	signal(g.wakeReceipts)
	return http.StatusOK, struct{}{}, nil
}

func (g *Gateway) listAttempts(r *http.Request) (any, error) {
	ref := r.PathValue("reference")
	if len(ref) > refMaxSize || !utf8.ValidString(ref) || strings.ContainsRune(ref, 0) {
		return nil, badRequest("invalid_reference", "This can be no reference.")
	}
	list, err := g.store.attempts(r.Context(), ref)
	if err != nil {
		return nil, err
	}
	answers := make([]attemptAnswer, len(list))
	for i, a := range list {
		answers[i] = attemptAnswer{a.ref, timestamp(a.at), a.channel, a.from, a.to, a.outcome}
	}
	return map[string]any{"attempts": answers}, nil
}

type attemptAnswer struct {
	Reference string          `json:"reference"`
	At        *string         `json:"at"`
	Channel   gateway.Channel `json:"channel"`
	From      string          `json:"from"`
	To        string          `json:"to"`
	Outcome   outcome         `json:"outcome"`
}

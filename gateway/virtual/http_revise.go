package virtual

import (
	"net/http"
	"unicode/utf8"

	"example.com/griot/gateway"
	"example.com/griot/internal/id"
)

func (g *Gateway) editMessage(r *http.Request, body []byte) (int, any, error) {
	var text string
	if err := decode(body, map[string]any{"text": &text}); err != nil {
		return 0, nil, err
	}
	return g.revise(r, gateway.MessageEdited, func(m *message) error {
		switch length := utf8.RuneCountInString(text); {
		case m.media == nil && m.kind() != gateway.InboundText:
			return badRequest("not_editable", "Only a text and the caption of an attachment can be edited.")
		case length == 0 && m.media == nil || length > textMaxLength:
			return invalidText()
		}
		m.text, m.revised = text, edited
		return nil
	})
}

func (g *Gateway) deleteMessage(r *http.Request, body []byte) (int, any, error) {
	if err := decodeNothing(body); err != nil {
		return 0, nil, err
	}
	return g.revise(r, gateway.MessageDeleted, func(m *message) error {
		m.text, m.media, m.reply, m.revised = "", nil, reply{}, deleted
		return nil
	})
}

// revise changes a message that the phone has sent, and delivers the change to the sink.
func (g *Gateway) revise(r *http.Request, kind gateway.ChangeKind, apply func(*message) error) (int, any, error) {
	p, _, err := g.pathPhone(r)
	if err != nil {
		return 0, nil, err
	}
	var answer messageAnswer
	now := g.now()
	found, err := g.store.revise(r.Context(), p.number, r.PathValue("id"), func(m *message) (gateway.Change, error) {
		switch {
		case m.direction != written || m.channel != gateway.WhatsApp:
			return gateway.Change{}, badRequest("not_editable", "Only WhatsApp messages that the phone has sent can be changed.")
		case m.revised == deleted:
			return gateway.Change{}, &problem{http.StatusConflict, "message_deleted", "The message is deleted."}
		case m.status == statusSent:
			return gateway.Change{}, &problem{http.StatusConflict, "message_waiting", "The message has not arrived yet."}
		}
		if err := apply(m); err != nil {
			return gateway.Change{}, err
		}
		answer = m.answer()
		c := gateway.Change{
			ID: idPrefix + id.New(now), Channel: m.channel, Kind: kind, To: m.to, From: p.shownNumber(), Person: p.gatewayID(), MessageID: m.id, At: now,
		}
		if kind == gateway.MessageEdited {
			in := m.inbound()
			c.Content = &gateway.Inbound{Type: in.Type, Text: in.Text, MediaURL: in.MediaURL, MIMEType: in.MIMEType, FileName: in.FileName}
		}
		return c, nil
	})
	if err == nil && !found {
		err = messageNotFound()
	}
	if err != nil {
		return 0, nil, err
	}
	signal(g.wakeChanges)
	return http.StatusOK, answer, nil
}

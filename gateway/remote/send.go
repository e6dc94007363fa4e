package remote

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"

	"example.com/griot/gateway"
	"example.com/griot/internal/sms"
	"example.com/griot/internal/whatsappid"
)

// Send implements [gateway.Sender].
func (s *sender) Send(ctx context.Context, out *gateway.Outbound) (gateway.Ack, error) {
	if failure := s.check(out); failure != nil {
		return gateway.Ack{}, failure
	}
	// Deduplication must be known before the message is submitted.
	if failure := s.ensureInfo(ctx); failure != nil {
		return gateway.Ack{}, failure
	}
	message, failure := s.compose(out)
	if failure != nil {
		return gateway.Ack{}, failure
	}
	body, err := json.Marshal(message)
	if err != nil {
		return gateway.Ack{}, &gateway.Error{Class: gateway.Permanent, Code: "message_invalid"}
	}
	answer, failure := s.call(ctx, http.MethodPost, "/send", body)
	if failure != nil {
		s.invalidateInfo()
		return gateway.Ack{}, failure
	}
	ack, failure := readAck(answer, out.Ref)
	if failure != nil {
		return gateway.Ack{}, failure
	}
	return ack, nil
}

// check refuses messages that can be refused without a call.
func (s *sender) check(out *gateway.Outbound) *gateway.Error {
	return cmp.Or(out.Check(s.now(), s.settings.Channels...), out.CheckRef(maxRef), checkID(out))
}

// checkID refuses a recipient's ID that isn't one. [gateway.Outbound.Check] refuses IDs on other channels.
func checkID(out *gateway.Outbound) *gateway.Error {
	if out.ToID != "" && !whatsappid.Is(out.ToID) {
		return &gateway.Error{Class: gateway.Permanent, Code: "recipient_invalid"}
	}
	return nil
}

// compose returns the body of a message.
func (s *sender) compose(out *gateway.Outbound) (*Message, *gateway.Error) {
	m := &Message{
		Reference: out.Ref, Channel: string(out.Channel), From: out.From, To: out.To, GroupID: out.GroupID, Text: out.Text, HTML: out.HTML,
		Subject: out.Subject, DisplayName: out.DisplayName, Code: out.Code, Locale: out.Locale, Sensitive: out.Sensitive,
		Template: out.Template, Interactive: out.Interactive, Preset: out.Preset, Values: out.Values,
	}
	if s.settings.Transliterate && out.Channel == gateway.SMS {
		m.Text = sms.Transliterate(out.Text)
	}
	if !out.ExpiresAt.IsZero() {
		at := out.ExpiresAt.UTC()
		m.ExpiresAt = &at
	}
	s.mu.Lock()
	media, replies, ids := "", false, false
	if s.info != nil {
		media, replies, ids = s.info.Media, s.info.Replies, s.info.IDs
	}
	s.mu.Unlock()
	if out.To == "" && out.GroupID == "" && out.ToID != "" {
		if m.ToID = out.ToID; !ids {
			return nil, &gateway.Error{Class: gateway.Permanent, Code: "id_unsupported"}
		}
	}
	if replies && out.ReplyTo != (gateway.Quote{}) {
		m.ReplyTo = replyTo(out.ReplyTo)
	}
	if out.Media == nil {
		return m, nil
	}
	m.Media = &Media{MIMEType: out.Media.MIMEType, FileName: out.Media.FileName}
	switch media {
	case MediaByBytes:
		m.Media.Data = out.Media.Data
	case MediaByLink:
		m.Media.URL = out.Media.URL
	default:
		return nil, &gateway.Error{Class: gateway.Permanent, Code: "media_unsupported"}
	}
	return m, nil
}

// replyTo returns only one identifier of a message. For our own messages, the gateway knows the provider's ID itself.
func replyTo(q gateway.Quote) *ReplyTo {
	if q.Ref != "" {
		return &ReplyTo{Reference: q.Ref, Text: q.Text}
	}
	return &ReplyTo{ID: q.ProviderID, Text: q.Text}
}

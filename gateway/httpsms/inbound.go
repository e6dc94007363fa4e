package httpsms

import (
	"context"
	"encoding/hex"
	"strings"
	"unicode/utf8"

	"example.com/griot/gateway"
	"example.com/griot/gateway/internal/httpcall"
	"example.com/griot/gateway/internal/httpgate"
	"example.com/griot/internal/phone"
)

// charsetBinary is what Kannel names as the character set of binary messages (%C).
const charsetBinary = "8-BIT"

// inbound stores a message from a person.
func (s *sender) inbound(ctx context.Context, h *httpgate.WebhookSettings, c httpgate.Event) error {
	if strings.EqualFold(c.Field(h, "charset"), charsetBinary) {
		return httpgate.ErrBinary
	}
	text := httpcall.Text(s.text(h, c))
	if text == "" && (c.Field(h, "text") != "" || c.Field(h, "hex") != "") {
		return httpgate.ErrInvalidEvent
	}
	to := s.settings.Inbound.To
	if to == "" {
		to = gateway.ReceiverOf(s.settings.home, c.Field(h, "to"), phone.FormUnknown)
	}
	in := gateway.Inbound{
		ID: strings.TrimSpace(c.Field(h, "id")), Channel: gateway.SMS, To: to, DisplayName: httpcall.Text(c.Field(h, "name")), Text: text, At: s.EventTime(h, c),
	}
	if !in.SetSender(s.settings.home, c.Field(h, "from"), phone.FormUnknown) {
		return httpgate.ErrNoSender
	}
	if in.ID == "" || len(in.ID) > httpgate.MaxID || httpgate.HasControl(in.ID) {
		in.ID = gateway.DeriveID(in.ID, in.Address(), in.To, c.Field(h, "at"), in.Text)
	}
	if ref, n, total := partOf(h, c); n > 0 {
		return s.parts.process(ctx, s.sink, in, ref, n, total)
	}
	return s.sink.Inbound(ctx, in)
}

// text returns a message's text, decoded from hex or from the call's charset. If it can't be decoded, it is the text
// as it came.
func (s *sender) text(h *httpgate.WebhookSettings, c httpgate.Event) string {
	text := c.Field(h, "text")
	if h.Fields["hex"] != "" && s.settings.Coding.UCS2 != "" && c.Field(h, "coding") == s.settings.Coding.UCS2 {
		if b, err := hex.DecodeString(c.Field(h, "hex")); err == nil && len(b) > 0 {
			if decoded, ok := fromUCS2(b); ok {
				return decoded
			}
		}
	}
	switch charset := strings.ToUpper(c.Field(h, "charset")); {
	case strings.HasPrefix(charset, "UTF-16"), strings.HasPrefix(charset, "UCS-2"), strings.HasPrefix(charset, "ISO-10646-UCS-2"):
		if decoded, ok := fromUCS2([]byte(text)); ok {
			return decoded
		}
	case !utf8.ValidString(text): // the text is ISO-8859-1, regardless of the declared charset
		var b strings.Builder
		for i := range len(text) {
			b.WriteRune(rune(text[i]))
		}
		return b.String()
	}
	return text
}

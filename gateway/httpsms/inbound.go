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
	text, ok := s.text(h, c)
	writer := c.Field(h, "from")
	if !ok || writer == "" {
		return httpgate.ErrInvalidEvent
	}
	from, fromOK := number(writer)
	to, toOK := s.settings.Inbound.To, true
	if to == "" {
		to, toOK = receiver(c.Field(h, "to"))
	}
	if !fromOK || !toOK {
		return httpgate.ErrNoNumber
	}
	in := gateway.Inbound{
		ID: strings.TrimSpace(c.Field(h, "id")), Channel: gateway.SMS, From: string(from), To: to, DisplayName: httpcall.Text(c.Field(h, "name")), Text: httpcall.Text(text), At: s.EventTime(h, c),
	}
	if in.ID == "" || len(in.ID) > httpgate.MaxID || httpgate.HasControl(in.ID) {
		in.ID = gateway.DeriveID(in.ID, in.From, in.To, c.Field(h, "at"), in.Text)
	}
	if ref, n, total := partOf(h, c); n > 0 {
		return s.parts.process(ctx, s.sink, in, ref, n, total)
	}
	return s.sink.Inbound(ctx, in)
}

// text returns a message's text, decoded from the call's charset or from hex.
func (s *sender) text(h *httpgate.WebhookSettings, c httpgate.Event) (string, bool) {
	if h.Fields["hex"] != "" && s.settings.Coding.UCS2 != "" && c.Field(h, "coding") == s.settings.Coding.UCS2 {
		b, err := hex.DecodeString(c.Field(h, "hex"))
		if err != nil {
			return "", false
		}
		return fromUCS2(b)
	}
	text := c.Field(h, "text")
	switch charset := strings.ToUpper(c.Field(h, "charset")); {
	case strings.HasPrefix(charset, "UTF-16"), strings.HasPrefix(charset, "UCS-2"), strings.HasPrefix(charset, "ISO-10646-UCS-2"):
		return fromUCS2([]byte(text))
	case !utf8.ValidString(text): // the text is ISO-8859-1, regardless of the declared charset
		var b strings.Builder
		for i := range len(text) {
			b.WriteRune(rune(text[i]))
		}
		return b.String(), true
	}
	return text, true
}

// number parses a number in the forms of gateways: 223…, +223…, 00223…, tel:+223….
func number(s string) (phone.Number, bool) {
	s = strings.TrimPrefix(strings.TrimSpace(s), "tel:")
	if rest, ok := strings.CutPrefix(s, "00"); ok {
		s = rest
	}
	return phone.Parse(strings.TrimSpace(s)) // an unescaped plus is received as a space
}

// receiver parses our number, which can be a short code.
func receiver(s string) (string, bool) {
	if n, ok := number(s); ok {
		return string(n), true
	}
	s = strings.TrimSpace(s)
	return s, phone.IsShortCode(s)
}

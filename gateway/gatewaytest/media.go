package gatewaytest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"example.com/griot/gateway"
)

// deliversMedia reports whether the driver sends attachments, which are supported only on WhatsApp.
func deliversMedia(s Subject) bool { return s.Channel == gateway.WhatsApp && s.Sender.Info().Media }

// SHA256 returns the hash of an attachment in the form that [Attachment] uses.
func SHA256(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// attach adds an attachment of binary data to a message.
func attach(out *gateway.Outbound, n int, mimeType string) *gateway.Outbound {
	data := make([]byte, 3000+n)
	for i := range data {
		data[i] = byte(i * (n + 7))
	}
	out.Media = &gateway.Media{URL: fmt.Sprintf("https://files.example.org/%s/%d", textWord, n), Data: data, MIMEType: mimeType, FileName: fmt.Sprintf("Reçu %s-%d", textWord, n)}
	return out
}

// checkMedia checks that an attachment arrives with its bytes, type, and name, with or without a caption.
func checkMedia(s Subject) error {
	var sent []attempt
	for n, mimeType := range []string{"application/pdf", "image/png", "audio/ogg"} {
		out := attach(s.message(n), n, mimeType)
		if n > 0 { // a document has a caption, but WhatsApp does not support one for audio
			out.Text = ""
		}
		a, err := s.send(context.Background(), out)
		if err := errors.Join(err, a.accepted()); err != nil {
			return fmt.Errorf("%s: %w", mimeType, err)
		}
		sent = append(sent, a)
	}
	plain, err := s.deliver(len(sent))
	if err != nil {
		return err
	}
	return s.arrived(append(sent, plain)...)
}

// checkForms checks that the text of a message with buttons or a template arrives through every gateway, including
// gateways that support neither.
func checkForms(s Subject) error {
	pressed := s.message(1)
	pressed.Interactive = &gateway.Interactive{Buttons: []gateway.Choice{{ID: textWord, Title: "Oui"}}}
	made := s.message(2)
	made.Preset, made.Values, made.Locale = "order_confirmed", map[string]string{"orderId": textWord}, "fr"
	var sent []attempt
	for _, out := range []*gateway.Outbound{pressed, made} {
		a, err := s.send(context.Background(), out)
		if err := errors.Join(err, a.accepted()); err != nil {
			return err
		}
		sent = append(sent, a)
	}
	return s.arrived(sent...)
}

// matches reports whether a received attachment is the one that was sent. Fields that the provider does not get are ignored.
func (r *Attachment) matches(m *gateway.Media) bool {
	if r == nil || m == nil {
		return r == nil && m == nil
	}
	return r.SHA256 == SHA256(m.Data) && (r.MIMEType == "" || r.MIMEType == m.MIMEType) && (r.FileName == "" || r.FileName == m.FileName)
}

// cloned returns a deep copy of a message.
func cloned(out *gateway.Outbound) gateway.Outbound {
	c := *out
	if out.Media != nil {
		media := *out.Media
		media.Data = append([]byte(nil), media.Data...)
		c.Media = &media
	}
	return c
}

package resend

import (
	"net/mail"
	"regexp"
	"strings"

	"griot/gateway"
)

// message is the body of POST /emails.
type message struct {
	From    string   `json:"from"`
	To      []string `json:"to"`
	Subject string   `json:"subject"`
	Text    string   `json:"text,omitempty"`
	HTML    string   `json:"html,omitempty"`
	Tags    []tag    `json:"tags"`
}

type tag struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// refTag is the tag that holds our reference. It comes back with each event.
const refTag = "griot_message"

// compose writes a message as the API wants it.
func compose(out *gateway.Outbound) (*message, *gateway.Error) {
	switch {
	case !isAddress(out.From):
		return nil, &gateway.Error{Class: gateway.Permanent, Code: "sender_invalid"}
	case !isAddress(out.To):
		return nil, &gateway.Error{Class: gateway.Unreachable, Code: "recipient_invalid"}
	case !regexp.MustCompile(`\A[A-Za-z0-9_-]{1,256}\z`).MatchString(out.Ref): // what a tag and a key can hold
		return nil, &gateway.Error{Class: gateway.Permanent, Code: "reference_invalid"}
	case out.Text == "" && out.HTML == "":
		return nil, &gateway.Error{Class: gateway.Permanent, Code: "message_empty"}
	case out.Media != nil:
		return nil, &gateway.Error{Class: gateway.Permanent, Code: "media_unsupported"}
	}
	from := out.From
	if name := oneLine(out.DisplayName); name != "" {
		from = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name) + `" <` + out.From + `>`
	}
	return &message{
		From: from, To: []string{out.To}, Subject: oneLine(out.Subject), Text: out.Text, HTML: out.HTML,
		Tags: []tag{{Name: refTag, Value: out.Ref}},
	}, nil
}

// isAddress takes a bare address: no name, no comment, no brackets; at most 254 bytes (RFC 5321 §4.5.3.1.3).
func isAddress(s string) bool {
	a, err := mail.ParseAddress(s)
	return err == nil && a.Address == s && len(s) <= 254
}

// oneLine makes s safe for a header: line breaks and other control characters become spaces.
func oneLine(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, s))
}

package smtp

import (
	"bytes"
	netmail "net/mail"
	"regexp"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"

	"griot/gateway"
	"griot/gateway/internal/outbound"
)

// mail is a message as SMTP carries it.
type mail struct {
	id       string // Message-ID, with its brackets
	from, to string // envelope addresses, in brackets
	content  []byte // RFC 5322, 7-bit
	utf8     bool   // an address needs SMTPUTF8 (RFC 6531)
}

var referencePattern = regexp.MustCompile(`\A[A-Za-z0-9_-]{1,200}\z`)

// compose writes a message. The Message-ID is made from our reference, so that every attempt has the same.
func (s *sender) compose(out *gateway.Outbound, now time.Time) (*mail, *gateway.Error) {
	from, ok := address(out.From)
	domain := out.From[strings.LastIndexByte(out.From, '@')+1:]
	if !ok || !isASCII(domain) { // the domain goes into the Message-ID
		return nil, &gateway.Error{Class: gateway.Permanent, Code: "sender_invalid"}
	}
	to, ok := address(out.To)
	if !ok {
		return nil, &gateway.Error{Class: gateway.Unreachable, Code: "recipient_invalid"}
	}
	if !referencePattern.MatchString(out.Ref) {
		return nil, &gateway.Error{Class: gateway.Permanent, Code: "reference_invalid"}
	}
	if failure := outbound.NoMedia(out); failure != nil {
		return nil, failure
	}
	if out.Text == "" && out.HTML == "" {
		return nil, &gateway.Error{Class: gateway.Permanent, Code: "message_empty"}
	}
	if len(out.Subject) > 980 || len(out.DisplayName) > 480 { // a line without spaces can't be folded, and has 998 bytes at most
		return nil, &gateway.Error{Class: gateway.Permanent, Code: "header_too_long"}
	}
	id := out.Ref + "@" + domain
	content, err := s.write(out, from, to, id, now)
	if err == nil && s.signer != nil && s.signer.covers(domain) {
		content, err = s.signer.sign(content)
	}
	if err != nil {
		// The library's error could quote what it was given.
		return nil, &gateway.Error{Class: gateway.Permanent, Code: "message_invalid"}
	}
	return &mail{
		id: "<" + id + ">", from: from.String(), to: to.String(), content: content,
		utf8: !isASCII(from.Address) || !isASCII(to.Address),
	}, nil
}

func (s *sender) write(out *gateway.Outbound, from, to *netmail.Address, id string, now time.Time) ([]byte, error) {
	m := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	m.FromMailAddress(&netmail.Address{Name: oneLine(out.DisplayName), Address: from.Address})
	m.ToMailAddress(to)
	m.SetMessageIDWithValue(id)
	m.SetDateWithValue(now)
	if subject := oneLine(out.Subject); subject != "" {
		m.Subject(subject)
	}
	if list := s.settings.unsubscribe(out.Ref); list != "" && !out.Sensitive { // nobody subscribes to codes
		m.SetGenHeader("List-Unsubscribe", list)
		if s.settings.ListUnsubscribePost {
			m.SetGenHeader("List-Unsubscribe-Post", "List-Unsubscribe=One-Click") // RFC 8058
		}
	}
	// The encoder of quoted-printable loses a line break after a lone carriage return.
	breaks := strings.NewReplacer("\r\n", "\n", "\r", "\n")
	text, html := breaks.Replace(out.Text), breaks.Replace(out.HTML)
	switch {
	case html == "":
		m.SetBodyString(gomail.TypeTextPlain, text)
	case text == "":
		m.SetBodyString(gomail.TypeTextHTML, html)
	default:
		m.SetBodyString(gomail.TypeTextPlain, text)
		m.AddAlternativeString(gomail.TypeTextHTML, html)
	}
	var content bytes.Buffer
	_, err := m.WriteTo(&content)
	return content.Bytes(), err
}

// address takes a bare address: no name, no comment, no brackets; at most 254 bytes (RFC 5321 §4.5.3.1.3).
func address(s string) (*netmail.Address, bool) {
	a, err := netmail.ParseAddress(s)
	if err != nil || a.Address != s || len(s) > 254 {
		return nil, false
	}
	return &netmail.Address{Address: s}, true
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

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= 0x80 })
}

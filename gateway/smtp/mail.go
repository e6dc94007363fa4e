package smtp

import (
	"bytes"
	"cmp"
	netmail "net/mail"
	"regexp"
	"slices"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"

	"example.com/griot/gateway"
	"example.com/griot/gateway/internal/mailtext"
	"example.com/griot/internal/visible"
)

// mail is a composed message with its envelope.
type mail struct {
	id       string // Message-ID, with its brackets
	from, to string // envelope addresses, in brackets
	content  []byte // RFC 5322, 7-bit
	utf8     bool   // an address needs SMTPUTF8 (RFC 6531)
}

// maxRef is the maximum length of a reference in a Message-ID, in characters.
const maxRef = 200

// compose composes a message. The Message-ID is derived from our reference, so that every attempt has the same one.
func (s *sender) compose(out *gateway.Outbound, now time.Time) (*mail, *gateway.Error) {
	sending, receiving, failure := mailtext.Addresses(out)
	if failure != nil {
		return nil, failure
	}
	from, to, id := &netmail.Address{Address: sending}, &netmail.Address{Address: receiving}, mailtext.MessageID(out.Ref, sending)
	if failure := cmp.Or(out.CheckRef(maxRef), out.CheckNoMedia()); failure != nil {
		return nil, failure
	}
	if out.Text == "" && out.HTML == "" {
		return nil, &gateway.Error{Class: gateway.Permanent, Code: "message_empty"}
	}
	if len(out.Subject) > 980 || len(out.DisplayName) > 480 { // a line without spaces cannot be folded, and has at most 998 bytes
		return nil, &gateway.Error{Class: gateway.Permanent, Code: "header_too_long"}
	}
	content, err := s.encode(out, from, to, id, now)
	if err == nil && s.signer != nil && s.signer.covers(id[strings.LastIndexByte(id, '@')+1:]) {
		content, err = s.signer.sign(content)
	}
	if err != nil {
		// The library's error might quote the message.
		return nil, &gateway.Error{Class: gateway.Permanent, Code: "message_invalid"}
	}
	return &mail{
		id: "<" + id + ">", from: from.String(), to: to.String(), content: content,
		utf8: !mailtext.IsASCII(from.Address) || !mailtext.IsASCII(to.Address),
	}, nil
}

func (s *sender) encode(out *gateway.Outbound, from, to *netmail.Address, id string, now time.Time) ([]byte, error) {
	m := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	m.ToMailAddress(to)
	m.SetMessageIDWithValue(id)
	m.SetDateWithValue(now)
	m.SetGenHeader("Auto-Submitted", "auto-generated") // RFC 3834: stops autoresponders
	list, post := s.settings.Unsubscribe.Headers(out.Ref, out.Sensitive)
	if list != "" {
		m.SetGenHeader("List-Unsubscribe", list)
	}
	if post != "" {
		m.SetGenHeader("List-Unsubscribe-Post", post)
	}
	// The quoted-printable encoder loses a line break after a lone carriage return.
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
	// The library would start a field with an empty line if its first word is long.
	content.WriteString("From: " + mailtext.Mailbox("From", visible.Line(out.DisplayName), from.String()) + "\r\n")
	if subject := visible.Line(out.Subject); subject != "" {
		content.WriteString("Subject: " + mailtext.Text("Subject", subject) + "\r\n")
	}
	_, err := m.WriteTo(&content)
	return joinFirstLines(content.Bytes()), err
}

var emptyFirstLine = regexp.MustCompile(`(?m)^([A-Za-z-]+:)\r\n `)

// joinFirstLines moves the value of a header field that consists of one long word, such as an address, to the line of
// the field's name.
func joinFirstLines(content []byte) []byte {
	header, body, found := bytes.Cut(content, []byte("\r\n\r\n"))
	if !found || !emptyFirstLine.Match(header) {
		return content
	}
	return slices.Concat(emptyFirstLine.ReplaceAll(header, []byte("$1 ")), []byte("\r\n\r\n"), body)
}

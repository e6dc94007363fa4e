package resend

import (
	"cmp"

	"example.com/griot/gateway"
	"example.com/griot/gateway/internal/mailtext"
	"example.com/griot/internal/visible"
)

// message is the body of POST /emails.
type message struct {
	From    string   `json:"from"`
	To      []string `json:"to"`
	Subject string   `json:"subject"`
	Text    string   `json:"text,omitempty"`
	HTML    string   `json:"html,omitempty"`
	Tags    []tag    `json:"tags"`
	Headers *headers `json:"headers,omitempty"`
}

type headers struct {
	ListUnsubscribe     string `json:"List-Unsubscribe"`
	ListUnsubscribePost string `json:"List-Unsubscribe-Post,omitempty"`
}

type tag struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// refTag is the name of the tag with our reference, which is returned with each event.
const refTag = "griot_message"

// maxRef is the maximum length of a reference in a tag, in characters.
const maxRef = 256

// compose returns the body of a message.
func (s *settings) compose(out *gateway.Outbound) (*message, *gateway.Error) {
	from, to, failure := mailtext.Addresses(out)
	if failure = cmp.Or(failure, out.CheckRef(maxRef)); failure != nil {
		return nil, failure
	}
	if out.Text == "" && out.HTML == "" {
		return nil, &gateway.Error{Class: gateway.Permanent, Code: "message_empty"}
	}
	if failure := out.CheckNoMedia(); failure != nil {
		return nil, failure
	}
	m := &message{
		From: mailtext.FormatAddress(out.DisplayName, from), To: []string{to}, Subject: visible.Line(out.Subject), Text: out.Text, HTML: out.HTML,
		Tags: []tag{{Name: refTag, Value: out.Ref}},
	}
	if list, post := s.Unsubscribe.Headers(out.Ref, out.Sensitive); list != "" {
		m.Headers = &headers{ListUnsubscribe: list, ListUnsubscribePost: post}
	}
	return m, nil
}

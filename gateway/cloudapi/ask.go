package cloudapi

import (
	"context"
	"strings"
	"unicode/utf8"

	"example.com/griot/gateway"
)

// maxRequestText is the maximum length of the text of a number request, in characters.
const maxRequestText = 1024

// AskForNumber implements [gateway.NumberAsker]. The message has WhatsApp's button, whose label is in the person's
// language. Meta charges for it like for any other message.
func (s *sender) AskForNumber(ctx context.Context, r *gateway.NumberRequest) (gateway.Ack, error) {
	ours := strings.TrimPrefix(r.From, "+")
	m := &message{MessagingProduct: "whatsapp", RecipientType: "individual", Type: "interactive", Callback: callback(r.Ref), Interactive: &interactive{
		Type: "request_contact_info", Body: textObject{r.Text}, Action: action{Name: "request_contact_info"},
	}}
	failure := m.address("", r.ToID)
	switch n := utf8.RuneCountInString(r.Text); {
	case s.settings.byNumber[ours] == "":
		failure = &gateway.Error{Class: gateway.SenderDown, Code: "sender_unknown"}
	case failure != nil:
	case n == 0:
		failure = &gateway.Error{Class: gateway.Permanent, Code: "message_empty"}
	case n > maxRequestText:
		failure = &gateway.Error{Class: gateway.Permanent, Code: "message_too_long"}
	}
	if failure != nil {
		return gateway.Ack{}, failure
	}
	return s.postMessage(ctx, ours, m)
}

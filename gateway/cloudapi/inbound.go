package cloudapi

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"example.com/griot/gateway"
	"example.com/griot/gateway/internal/httpcall"
)

// inboundMessage is a message from a person. The field that Type names contains its content.
type inboundMessage struct {
	From      word            `json:"from"`
	FromID    word            `json:"from_user_id"`
	Parent    word            `json:"from_parent_user_id"`
	ID        word            `json:"id"`
	GroupID   word            `json:"group_id"`
	Type      word            `json:"type"`
	Timestamp httpcall.Moment `json:"timestamp"`
	Origin    word            `json:"origin"` // of contacts, if the contacts don't have it
	Context   struct {
		ID        word `json:"id"`
		Forwarded flag `json:"forwarded"`
		Often     flag `json:"frequently_forwarded"`
	} `json:"context"`

	parts map[string]json.RawMessage
}

type file struct {
	ID       word `json:"id"`
	URL      word `json:"url"`
	MIMEType word `json:"mime_type"`
	Caption  word `json:"caption"`
	FileName word `json:"filename"`
}

// message passes a message from a person to the sink, or a change that Meta reports as a message. Messages in groups do
// not belong to a conversation with one person, and a request_welcome only means that someone has opened the chat.
func (s *sender) message(ctx context.Context, r *report, raw json.RawMessage) error {
	var m inboundMessage
	if !read(raw, &m) || !read(raw, &m.parts) {
		s.drop("message", gateway.UnhandledUnreadable, 1)
		return nil
	}
	if m.ID == "" {
		m.ID = word(gateway.DeriveID(r.to, string(raw)))
	}
	p := r.complete(personOf(m.From, m.FromID, m.Parent), len(r.Messages) == 1)
	switch {
	case m.GroupID != "":
		s.drop(string(m.Type), gateway.UnhandledGroup, 1)
		return nil
	case m.Type == "system":
		return s.system(ctx, r, &m)
	case !p.isKnown():
		s.drop(string(m.Type), gateway.UnhandledNoSender, 1)
		return nil
	case m.Type == "edit" || m.Type == "revoke":
		return s.messageChange(ctx, r, &m, &p)
	case m.Type == "request_welcome":
		s.drop(string(m.Type), gateway.UnhandledKind, 1)
		return nil
	}
	in := gateway.Inbound{
		ID: string(m.ID), Channel: gateway.WhatsApp, From: p.number, Person: p.in(r.portfolio), To: r.to, DisplayName: p.name,
		Standby: r.standby, At: m.Timestamp.Or(s.now(), s.log), ReplyTo: gateway.Quoted{ProviderID: string(m.Context.ID)},
	}
	setContent(&in, string(m.Type), m.parts)
	if in.Type == gateway.InboundReaction && in.Text == "" {
		s.drop("reaction_removed", gateway.UnhandledKind, 1)
		return nil
	}
	if in.Type == gateway.InboundContacts && in.Person.ID != "" && !m.Context.Forwarded.set && !m.Context.Often.set {
		if shared := sharedNumber(m.Origin, m.parts["contacts"]); in.From == "" || sameNumber(in.From, shared) {
			in.Shared = shared
		}
	}
	return s.sink.Inbound(ctx, in)
}

// contentTypes are the types of messages whose content is read.
var contentTypes = []string{"text", "image", "video", "audio", "document", "sticker", "location", "contacts", "reaction", "button", "interactive", "order"}

// setContent sets the content of a message from the part that its type names. If there is none, it is the part that
// there is. If the part can't be read or its type is unknown, the message becomes [gateway.InboundOther] and keeps its text.
func setContent(in *gateway.Inbound, kind string, parts map[string]json.RawMessage) {
	if parts[kind] == nil {
		kind = contentTypes[max(slices.IndexFunc(contentTypes, func(t string) bool { return parts[t] != nil }), 0)]
	}
	part := parts[kind]
	in.Type = gateway.InboundOther
	switch kind {
	case "image", "video", "audio", "document", "sticker":
		readFile(in, gateway.InboundType(kind), part)
	case "button", "interactive":
		readInteractive(in, part)
	case "reaction":
		readReaction(in, part)
	case "text":
		setText(in, gateway.InboundText, member(part, "body"))
	case "order":
		setText(in, gateway.InboundText, orderText(part))
	case "location":
		setText(in, gateway.InboundLocation, locationText(part))
	case "contacts":
		setText(in, gateway.InboundContacts, contactsText(part))
	}
	if in.Type == gateway.InboundOther {
		in.Text = cmp.Or(member(part, "body"), member(part, "caption"))
	}
}

// setText sets a readable text.
func setText(in *gateway.Inbound, as gateway.InboundType, text string) {
	if text != "" {
		in.Type, in.Text = as, text
	}
}

// member returns a text of an object, or the part itself if it is a text.
func member(part json.RawMessage, name string) string {
	var whole word
	var members map[string]word
	_ = json.Unmarshal(part, &whole) // never fails
	if read(part, &members) {
		whole = members[name]
	}
	return string(whole)
}

func readFile(in *gateway.Inbound, as gateway.InboundType, part json.RawMessage) {
	var f file
	if !read(part, &f) {
		return
	}
	in.Type, in.Text, in.MIMEType, in.FileName, in.MediaURL = as, string(f.Caption), string(f.MIMEType), string(f.FileName), mediaAddress(&f, in.To)
	if in.MediaURL == "" {
		in.MediaLost = gateway.MediaUnavailable
	}
}

// readReaction reads a reaction, which has no emoji if it was removed.
func readReaction(in *gateway.Inbound, part json.RawMessage) {
	var r struct {
		To    word `json:"message_id"`
		Emoji word `json:"emoji"`
	}
	if !read(part, &r) {
		return
	}
	in.Type, in.Text = gateway.InboundReaction, string(r.Emoji)
	if r.To != "" {
		in.ReplyTo.ProviderID = string(r.To)
	}
}

// readInteractive reads the button or row that was chosen, or the response to a form. Any other kind, such as
// call_permission_reply, is not a text.
func readInteractive(in *gateway.Inbound, part json.RawMessage) {
	type reply struct {
		ID    word `json:"id"`
		Title word `json:"title"`
	}
	var a struct {
		Text    word  `json:"text"` // of a template's button
		Payload word  `json:"payload"`
		List    reply `json:"list_reply"`
		Button  reply `json:"button_reply"`
		Form    struct {
			Body     word `json:"body"`
			Response word `json:"response_json"`
		} `json:"nfm_reply"`
	}
	if !read(part, &a) {
		return
	}
	title := string(cmp.Or(a.Text, a.List.Title, a.Button.Title))
	in.Response = gateway.Response([]byte(a.Form.Response))
	setText(in, gateway.InboundText, cmp.Or(title, string(a.Form.Body)))
	if title != "" {
		in.Choice = gateway.Choice{ID: string(cmp.Or(a.Payload, a.List.ID, a.Button.ID)), Title: title}
	}
	if in.Response != "" {
		in.Type = gateway.InboundText
	}
}

// orderText returns an order as "2 × id, 1 × id" and its text.
func orderText(part json.RawMessage) string {
	var o struct {
		Text  word `json:"text"`
		Items list `json:"product_items"`
	}
	_ = read(part, &o)
	var lines []string
	for _, raw := range o.Items {
		var i struct {
			ID       word `json:"product_retailer_id"`
			Quantity word `json:"quantity"`
		}
		if read(raw, &i) {
			lines = append(lines, string(i.Quantity+" × "+i.ID))
		}
	}
	return strings.TrimSpace(strings.Join(lines, ", ") + "\n" + string(o.Text))
}

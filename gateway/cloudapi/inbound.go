package cloudapi

import (
	"encoding/json"
	"strings"

	"example.com/griot/gateway"
	"example.com/griot/gateway/internal/httpcall"
	"example.com/griot/internal/phone"
)

// inboundMessage is a message from a person. The field that Type names contains its content.
type inboundMessage struct {
	From      string  `json:"from"`
	ID        string  `json:"id"`
	GroupID   string  `json:"group_id"`
	Type      string  `json:"type"`
	Timestamp seconds `json:"timestamp"`
}

type file struct {
	ID       string `json:"id"`
	URL      string `json:"url"`
	MIMEType string `json:"mime_type"`
	Caption  string `json:"caption"`
	FileName string `json:"filename"`
}

// inbound parses a message from a person to one of our numbers. ok is false for system messages, such as a changed
// number, for removed reactions, and for messages in groups, which do not belong to a conversation with one person.
func (s *sender) inbound(raw json.RawMessage, to string, names map[string]string) (in gateway.Inbound, ok bool) {
	var m inboundMessage
	if json.Unmarshal(raw, &m) != nil {
		s.log.Warn("an inbound message can't be read")
		return gateway.Inbound{}, false
	}
	from, ok := phone.Parse(m.From)
	if !ok || m.ID == "" || m.GroupID != "" || m.Type == "system" || m.Type == "request_welcome" {
		s.log.Debug("inbound message ignored", "group", m.GroupID != "", "number", ok)
		return gateway.Inbound{}, false
	}
	in = gateway.Inbound{
		ID: httpcall.Text(m.ID), Channel: gateway.WhatsApp, From: string(from), To: to, DisplayName: names[m.From],
		Type: gateway.InboundOther, At: m.Timestamp.Time,
	}
	if in.At.IsZero() {
		in.At = s.now()
	}
	var parts map[string]json.RawMessage
	if json.Unmarshal(raw, &parts) == nil {
		if answered, err := stringMember("id")(parts["context"]); err == nil {
			in.ReplyTo.ProviderID = httpcall.Text(answered)
		}
		s.setContent(&in, m.Type, parts[m.Type])
	}
	return in, in.Type != gateway.InboundReaction || in.Text != "" // without an emoji, the reaction was removed
}

// setContent sets the content of a message; an unknown type stays [gateway.InboundOther].
func (s *sender) setContent(in *gateway.Inbound, kind string, part json.RawMessage) {
	switch kind {
	case "image", "video", "audio", "document", "sticker":
		var f file
		if json.Unmarshal(part, &f) == nil {
			in.Type, in.Text = gateway.InboundType(kind), httpcall.Text(f.Caption)
			in.MIMEType, in.FileName, in.MediaURL = httpcall.Text(f.MIMEType), httpcall.Text(f.FileName), mediaAddress(&f)
		}
		return
	case "button", "interactive":
		readInteractive(in, part)
		return
	case "reaction":
		if to, err := stringMember("message_id")(part); err == nil && to != "" {
			in.ReplyTo.ProviderID = httpcall.Text(to)
		}
	}
	for _, r := range []struct {
		kind, as string
		read     func(json.RawMessage) (string, error)
	}{
		{"text", "text", stringMember("body")},
		{"order", "text", orderText},
		{"location", "location", locationText},
		{"contacts", "contacts", contactsText},
		{"reaction", "reaction", stringMember("emoji")},
	} {
		if r.kind != kind {
			continue
		}
		if text, err := r.read(part); err == nil {
			in.Type, in.Text = gateway.InboundType(r.as), httpcall.Text(text)
		}
	}
}

// stringMember returns a function that reads one field.
func stringMember(member string) func(json.RawMessage) (string, error) {
	return func(part json.RawMessage) (string, error) {
		var members map[string]json.RawMessage
		if err := json.Unmarshal(part, &members); err != nil {
			return "", err
		}
		var s string
		if members[member] == nil { // such as the emoji of a removed reaction
			return "", nil
		}
		err := json.Unmarshal(members[member], &s)
		return s, err
	}
}

// readInteractive reads the button or row that was chosen, or the response to a form.
func readInteractive(in *gateway.Inbound, part json.RawMessage) {
	type reply struct{ ID, Title string }
	var a struct {
		Text    string // of a template's button
		Payload string
		List    reply `json:"list_reply"`
		Button  reply `json:"button_reply"`
		Form    struct {
			Body     string
			Response string `json:"response_json"`
		} `json:"nfm_reply"`
	}
	if json.Unmarshal(part, &a) != nil {
		return
	}
	title := a.Text + a.List.Title + a.Button.Title
	in.Type, in.Text = gateway.InboundText, httpcall.Text(title+a.Form.Body)
	if title != "" {
		in.Choice = gateway.Choice{ID: httpcall.Text(a.Payload + a.List.ID + a.Button.ID), Title: httpcall.Text(title)}
	}
	in.Response = gateway.Response([]byte(a.Form.Response))
}

// orderText returns an order as "2 × id, 1 × id" and its text.
func orderText(part json.RawMessage) (string, error) {
	var o struct {
		Text  string `json:"text"`
		Items []struct {
			ID       string      `json:"product_retailer_id"`
			Quantity json.Number `json:"quantity"`
		} `json:"product_items"`
	}
	err := json.Unmarshal(part, &o)
	var lines []string
	for _, i := range o.Items {
		lines = append(lines, i.Quantity.String()+" × "+i.ID)
	}
	return strings.TrimSpace(strings.Join(lines, ", ") + "\n" + o.Text), err
}

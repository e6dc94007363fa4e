package cloudapi

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"griot/gateway"
	"griot/gateway/internal/httpcall"
	"griot/internal/phone"
)

// letter is a message from a person; which of its parts is set is in Type.
type letter struct {
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

// inbound reads a message from a person to one of our numbers. What no person wrote is none: a changed
// number, a chat that was opened. What was written in a group isn't ours to file under one person.
func (s *sender) inbound(raw json.RawMessage, to string, names map[string]string) (gateway.Inbound, bool) {
	var l letter
	if json.Unmarshal(raw, &l) != nil {
		s.log.Warn("an inbound message can't be read")
		return gateway.Inbound{}, false
	}
	from, ok := phone.Parse(l.From)
	if !ok || l.ID == "" || l.GroupID != "" || l.Type == "system" || l.Type == "request_welcome" {
		s.log.Debug("inbound message passed over", "group", l.GroupID != "", "number", ok)
		return gateway.Inbound{}, false
	}
	in := gateway.Inbound{
		ID: httpcall.Text(l.ID), Channel: gateway.WhatsApp, From: string(from), To: to, DisplayName: names[l.From],
		Type: gateway.InboundOther, At: l.Timestamp.Time,
	}
	if in.At.IsZero() {
		in.At = s.now()
	}
	var parts map[string]json.RawMessage
	if json.Unmarshal(raw, &parts) == nil {
		if answered, err := words("id")(parts["context"]); err == nil {
			in.ReplyTo.ProviderID = httpcall.Text(answered)
		}
		s.content(&in, l.Type, parts[l.Type])
	}
	return in, true
}

// content fills in what can be read of a message; what can't stays [gateway.InboundOther].
func (s *sender) content(in *gateway.Inbound, kind string, part json.RawMessage) {
	switch kind {
	case "image", "video", "audio", "document", "sticker":
		var f file
		if json.Unmarshal(part, &f) == nil {
			in.Type, in.Text = gateway.InboundType(kind), httpcall.Text(f.Caption)
			in.MIMEType, in.FileName, in.MediaURL = httpcall.Text(f.MIMEType), httpcall.Text(f.FileName), s.whereabouts(&f)
		}
		return
	case "button", "interactive":
		pressed(in, part)
		return
	case "reaction":
		if to, err := words("message_id")(part); err == nil && to != "" {
			in.ReplyTo.ProviderID = httpcall.Text(to)
		}
	}
	for _, r := range []struct {
		kind, as string
		read     func(json.RawMessage) (string, error)
	}{
		{"text", "text", words("body")},
		{"order", "text", order},
		{"location", "location", location},
		{"contacts", "contacts", cards},
		{"reaction", "reaction", words("emoji")},
	} {
		if r.kind != kind {
			continue
		}
		if said, err := r.read(part); err == nil {
			in.Type, in.Text = gateway.InboundType(r.as), httpcall.Text(said)
		}
	}
}

// whereabouts is where Meta keeps a file: both addresses answer only to the access token.
func (s *sender) whereabouts(f *file) string {
	if f.URL != "" || f.ID == "" {
		return httpcall.Text(f.URL)
	}
	return httpcall.Text(s.settings.BaseURL + "/" + s.settings.APIVersion + "/" + f.ID)
}

// words reads one member.
func words(member string) func(json.RawMessage) (string, error) {
	return func(part json.RawMessage) (string, error) {
		var said map[string]json.RawMessage
		if err := json.Unmarshal(part, &said); err != nil {
			return "", err
		}
		var s string
		if said[member] == nil { // a reaction that was taken back has no emoji
			return "", nil
		}
		err := json.Unmarshal(said[member], &s)
		return s, err
	}
}

// pressed reads the button or row that was chosen, or what a form was answered with.
func pressed(in *gateway.Inbound, part json.RawMessage) {
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

// order reads what was ordered: "2 × id, 1 × id", and what was written with it.
func order(part json.RawMessage) (string, error) {
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

// location reads "lat,long name".
func location(part json.RawMessage) (string, error) {
	var l struct {
		Latitude  float64 `json:"latitude"`
		Longitude float64 `json:"longitude"`
		Name      string  `json:"name"`
		Address   string  `json:"address"`
	}
	err := json.Unmarshal(part, &l)
	number := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
	name := l.Name
	if name == "" {
		name = l.Address
	}
	return strings.TrimSpace(fmt.Sprintf("%s,%s %s", number(l.Latitude), number(l.Longitude), name)), err
}

// cards reads the names of contacts.
func cards(part json.RawMessage) (string, error) {
	var all []struct {
		Name struct {
			Formatted string `json:"formatted_name"`
			First     string `json:"first_name"`
		} `json:"name"`
	}
	err := json.Unmarshal(part, &all)
	var names []string
	for _, c := range all {
		name := c.Name.Formatted
		if name == "" {
			name = c.Name.First
		}
		if name != "" {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", "), err
}

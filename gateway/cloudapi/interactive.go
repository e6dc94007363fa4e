package cloudapi

import (
	"unicode/utf8"

	"example.com/griot/gateway"
)

// interactive is a text with buttons, a list, or a link.
type interactive struct {
	Type   string      `json:"type"` // button, list, cta_url, request_contact_info
	Header *header     `json:"header,omitempty"`
	Body   textObject  `json:"body"`
	Footer *textObject `json:"footer,omitempty"`
	Action action      `json:"action"`
}

type textObject struct {
	Text string `json:"text"`
}

type header struct {
	Type string `json:"type"`
	Text string `json:"text,omitempty"`
	attached
}

type action struct {
	Buttons    []replyButton `json:"buttons,omitempty"`
	Button     string        `json:"button,omitempty"`
	Sections   []section     `json:"sections,omitempty"`
	Name       string        `json:"name,omitempty"`
	Parameters *link         `json:"parameters,omitempty"`
}

type replyButton struct {
	Type  string `json:"type"`
	Reply row    `json:"reply"`
}

type row struct {
	ID          string `json:"id"`
	Title       string `json:"title"`
	Description string `json:"description,omitempty"`
}

type section struct {
	Title string `json:"title,omitempty"`
	Rows  []row  `json:"rows"`
}

type link struct {
	DisplayText string `json:"display_text"`
	URL         string `json:"url"`
}

// setInteractive sets a text with buttons, a list, or a link. An attachment becomes the header.
func (m *message) setInteractive(out *gateway.Outbound) *gateway.Error {
	in := out.Interactive
	switch n := utf8.RuneCountInString(out.Text); {
	case n == 0:
		return &gateway.Error{Class: gateway.Permanent, Code: "message_empty"}
	case n > maxText:
		return &gateway.Error{Class: gateway.Permanent, Code: "message_too_long"}
	}
	i := &interactive{Body: textObject{out.Text}}
	if in.Footer != "" {
		i.Footer = &textObject{in.Footer}
	}
	switch {
	case out.Media != nil:
		h := &header{}
		var failure *gateway.Error
		if h.Type, m.media, failure = h.attachHeader(out.Media); failure != nil {
			return failure
		}
		i.Header = h
	case in.Header != "":
		i.Header = &header{Type: "text", Text: in.Header}
	}
	switch {
	case in.List != nil:
		i.Type, i.Action.Button = "list", in.List.Button
		for _, s := range in.List.Sections {
			rows := make([]row, len(s.Rows))
			for n, c := range s.Rows {
				rows[n] = row(c)
			}
			i.Action.Sections = append(i.Action.Sections, section{s.Title, rows})
		}
	case in.Link != nil:
		i.Type, i.Action.Name, i.Action.Parameters = "cta_url", "cta_url", &link{in.Link.Title, in.Link.URL}
	default:
		i.Type = "button"
		for _, c := range in.Buttons {
			i.Action.Buttons = append(i.Action.Buttons, replyButton{"reply", row{ID: c.ID, Title: c.Title}})
		}
	}
	m.Type, m.Interactive = "interactive", i
	return nil
}

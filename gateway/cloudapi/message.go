package cloudapi

import (
	"strings"
	"unicode/utf8"

	"griot/gateway"
	"griot/internal/phone"
)

// message is the body of POST /{phone-number-id}/messages.
type message struct {
	MessagingProduct string      `json:"messaging_product"`
	RecipientType    string      `json:"recipient_type"`
	To               string      `json:"to"`
	Type             string      `json:"type"`
	Callback         string      `json:"biz_opaque_callback_data,omitempty"` // comes back with each status
	Text             *text       `json:"text,omitempty"`
	Template         *template   `json:"template,omitempty"`
	Image            *attachment `json:"image,omitempty"`
	Video            *attachment `json:"video,omitempty"`
	Audio            *attachment `json:"audio,omitempty"`
	Document         *attachment `json:"document,omitempty"`

	media *attachment // the one of the four that is set
}

type text struct {
	Body       string `json:"body"`
	PreviewURL bool   `json:"preview_url"`
}

type attachment struct {
	ID       string `json:"id,omitempty"` // of what was uploaded; else Link
	Link     string `json:"link,omitempty"`
	Caption  string `json:"caption,omitempty"`
	FileName string `json:"filename,omitempty"`
}

type template struct {
	Name       string      `json:"name"`
	Language   language    `json:"language"`
	Components []component `json:"components"`
}

type language struct {
	Code string `json:"code"`
}

type component struct {
	Type       string      `json:"type"`
	SubType    string      `json:"sub_type,omitempty"`
	Index      string      `json:"index,omitempty"`
	Parameters []parameter `json:"parameters"`
}

type parameter struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// What the API takes, in characters.
const (
	mostText     = 4096
	mostCaption  = 1024
	mostCode     = 15
	mostCallback = 512
)

// compose writes a message as the API wants it.
func compose(out *gateway.Outbound, code *codeTemplate) (*message, *gateway.Error) {
	m := &message{MessagingProduct: "whatsapp", RecipientType: "individual", Type: "text"}
	if out.GroupID != "" {
		m.RecipientType, m.To = "group", strings.TrimSuffix(out.GroupID, groupSuffix)
	} else {
		to, ok := phone.Parse(out.To)
		if !ok {
			return nil, &gateway.Error{Class: gateway.Unreachable, Code: "recipient_invalid"}
		}
		m.To = to.E164()
	}
	if len(out.Ref) <= mostCallback {
		m.Callback = out.Ref
	}
	switch {
	case out.Media != nil:
		return m, m.attach(out.Media, out.Text)
	case out.Code != "" && code != nil:
		return m, m.carry(out, code)
	case out.Text == "":
		return nil, &gateway.Error{Class: gateway.Permanent, Code: "message_empty"}
	case utf8.RuneCountInString(out.Text) > mostText:
		return nil, &gateway.Error{Class: gateway.Permanent, Code: "message_too_long"}
	}
	m.Text = &text{Body: out.Text}
	return m, nil
}

// carry writes a one-time code into the template: the text is the template's, the code stands in
// it and behind its button.
func (m *message) carry(out *gateway.Outbound, code *codeTemplate) *gateway.Error {
	if len(out.Code) > mostCode {
		return &gateway.Error{Class: gateway.Permanent, Code: "message_too_long"}
	}
	value := []parameter{{Type: "text", Text: out.Code}}
	m.Type = "template"
	m.Template = &template{Name: code.Name, Language: language{code.language(out.Locale)}, Components: []component{
		{Type: "body", Parameters: value},
		{Type: "button", SubType: "url", Index: "0", Parameters: value},
	}}
	return nil
}

// attach writes an attachment; what is uploaded gets its id later.
func (m *message) attach(media *gateway.Media, caption string) *gateway.Error {
	m.Type = kindOf(media)
	m.media = &attachment{Caption: caption}
	switch {
	case utf8.RuneCountInString(caption) > mostCaption:
		return &gateway.Error{Class: gateway.Permanent, Code: "message_too_long"}
	case len(media.Data) == 0 && media.URL == "":
		return &gateway.Error{Class: gateway.Permanent, Code: "message_empty"}
	case len(media.Data) == 0:
		m.media.Link = media.URL
	}
	switch m.Type {
	case "image":
		m.Image = m.media
	case "video":
		m.Video = m.media
	case "audio":
		if caption != "" { // it would not be seen
			return &gateway.Error{Class: gateway.Permanent, Code: "caption_unsupported"}
		}
		m.Audio = m.media
	default:
		m.media.FileName = media.FileName
		m.Document = m.media
	}
	return nil
}

package cloudapi

import (
	"strings"
	"unicode/utf8"

	"griot/gateway"
	"griot/internal/phone"
)

// message is the body of POST /{phone-number-id}/messages.
type message struct {
	MessagingProduct string       `json:"messaging_product"`
	RecipientType    string       `json:"recipient_type"`
	To               string       `json:"to"`
	Type             string       `json:"type"`
	Callback         string       `json:"biz_opaque_callback_data,omitempty"` // comes back with each status
	Text             *text        `json:"text,omitempty"`
	Template         *template    `json:"template,omitempty"`
	Interactive      *interactive `json:"interactive,omitempty"`
	attached

	media *attachment // wherever in it the attachment stands
	form  string      // the [gateway.Ack]'s
}

type text struct {
	Body       string `json:"body"`
	PreviewURL bool   `json:"preview_url"`
}

// attached is where an attachment stands: in the member of its kind.
type attached struct {
	Image    *attachment `json:"image,omitempty"`
	Video    *attachment `json:"video,omitempty"`
	Audio    *attachment `json:"audio,omitempty"`
	Document *attachment `json:"document,omitempty"`
}

type attachment struct {
	ID       string `json:"id,omitempty"` // of what was uploaded; else Link
	Link     string `json:"link,omitempty"`
	Caption  string `json:"caption,omitempty"`
	FileName string `json:"filename,omitempty"`
}

// What the API takes, in characters.
const (
	mostText     = 4096
	mostCaption  = 1024
	mostCode     = 15
	mostCallback = 512
)

// compose writes a message as the API wants it.
func (s *settings) compose(out *gateway.Outbound) (*message, *gateway.Error) {
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
	return m, m.fill(out, s)
}

// fill writes the content: what was asked for, else the template that the settings have for it, else what it is.
func (m *message) fill(out *gateway.Outbound, s *settings) *gateway.Error {
	preset := s.PresetTemplates[out.Preset]
	switch {
	case out.Template != nil:
		return m.carryTemplate(out)
	case out.Interactive != nil:
		return m.carryInteractive(out)
	case out.Media != nil:
		return m.carryMedia(out.Media, out.Text)
	case out.Code != "" && s.CodeTemplate != nil:
		return m.carryCode(out, s.CodeTemplate)
	case preset != nil && m.carryPreset(out, preset):
		return nil
	case out.Text == "":
		return &gateway.Error{Class: gateway.Permanent, Code: "message_empty"}
	case utf8.RuneCountInString(out.Text) > mostText:
		return &gateway.Error{Class: gateway.Permanent, Code: "message_too_long"}
	}
	m.Text = &text{Body: out.Text}
	return nil
}

// carryMedia writes an attachment with its caption.
func (m *message) carryMedia(media *gateway.Media, caption string) (failure *gateway.Error) {
	if m.Type, m.media, failure = m.attach(media); failure != nil {
		return failure
	}
	m.media.Caption = caption
	switch {
	case utf8.RuneCountInString(caption) > mostCaption:
		return &gateway.Error{Class: gateway.Permanent, Code: "message_too_long"}
	case m.Audio != nil && caption != "": // it would not be seen
		return &gateway.Error{Class: gateway.Permanent, Code: "caption_unsupported"}
	}
	return nil
}

// attach sets the member of the attachment's kind, and says which it is; what is uploaded gets its id later.
func (a *attached) attach(media *gateway.Media) (kind string, at *attachment, failure *gateway.Error) {
	at = &attachment{}
	kind, _, ok := kindOf(media)
	switch {
	case len(media.Data) == 0 && media.URL == "":
		return "", nil, &gateway.Error{Class: gateway.Permanent, Code: "message_empty"}
	case !ok:
		return "", nil, &gateway.Error{Class: gateway.Permanent, Code: "media_unsupported"}
	case len(media.Data) == 0:
		at.Link = media.URL
	}
	switch kind {
	case "image":
		a.Image = at
	case "video":
		a.Video = at
	case "audio":
		a.Audio = at
	default:
		at.FileName = media.FileName
		a.Document = at
	}
	return kind, at, nil
}

// above is attach for what stands above a text: there is no sound there.
func (a *attached) above(media *gateway.Media) (kind string, at *attachment, failure *gateway.Error) {
	if kind, at, failure = a.attach(media); a.Audio != nil {
		return "", nil, &gateway.Error{Class: gateway.Permanent, Code: "media_unsupported"}
	}
	return kind, at, failure
}

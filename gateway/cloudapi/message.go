package cloudapi

import (
	"strings"
	"unicode/utf8"

	"example.com/griot/gateway"
	"example.com/griot/internal/phone"
)

// message is the body of POST /{phone-number-id}/messages.
type message struct {
	MessagingProduct string       `json:"messaging_product"`
	RecipientType    string       `json:"recipient_type"`
	To               string       `json:"to,omitempty"`        // a number, or a group
	Recipient        string       `json:"recipient,omitempty"` // a person's ID, instead of To; Meta accepts an ID in To and loses the message
	Type             string       `json:"type"`
	Callback         string       `json:"biz_opaque_callback_data,omitempty"` // returned with each status
	Context          *quoted      `json:"context,omitempty"`
	Text             *text        `json:"text,omitempty"`
	Template         *template    `json:"template,omitempty"`
	Interactive      *interactive `json:"interactive,omitempty"`
	attached

	media *attachment // the attachment, set in an attached, a header, or a parameter
	form  string      // [gateway.Ack.Form]
}

// quoted is the message that another message replies to.
type quoted struct {
	ID string `json:"message_id"`
}

type text struct {
	Body       string `json:"body"`
	PreviewURL bool   `json:"preview_url"`
}

// attached contains an attachment in the field for its kind.
type attached struct {
	Image    *attachment `json:"image,omitempty"`
	Video    *attachment `json:"video,omitempty"`
	Audio    *attachment `json:"audio,omitempty"`
	Document *attachment `json:"document,omitempty"`
}

type attachment struct {
	ID       string `json:"id,omitempty"` // the ID of an upload; if it is empty, Link is set
	Link     string `json:"link,omitempty"`
	Caption  string `json:"caption,omitempty"`
	FileName string `json:"filename,omitempty"`
}

// Limits of the API, in characters.
const (
	maxText     = 4096
	maxCaption  = 1024
	maxCode     = 15
	maxValue    = 1024 // of a placeholder in a template
	maxCallback = 512
)

// compose returns the body of a message.
func (s *settings) compose(out *gateway.Outbound) (*message, *gateway.Error) {
	m := &message{MessagingProduct: "whatsapp", RecipientType: "individual", Type: "text"}
	if out.GroupID != "" {
		m.RecipientType, m.To = "group", strings.TrimSuffix(out.GroupID, groupSuffix)
	} else if failure := m.address(out.To, out.ToID); failure != nil {
		return nil, failure
	}
	m.Callback = callback(out.Ref)
	if out.ReplyTo.ProviderID != "" {
		m.Context = &quoted{out.ReplyTo.ProviderID}
	}
	return m, m.setContent(out, s)
}

// callback returns a reference as Meta returns it with each status, or "" if it is too long for Meta.
func callback(ref string) string {
	if len(ref) > maxCallback {
		return ""
	}
	return ref
}

// address sets the recipient: the number, or without one the ID. LIDs are unknown to the Cloud API.
func (m *message) address(to, id string) *gateway.Error {
	if number, ok := phone.Parse(to); ok {
		m.To = number.E164()
	} else if m.Recipient = businessID(word(id)); to != "" || m.Recipient == "" {
		return &gateway.Error{Class: gateway.Unreachable, Code: "recipient_invalid"}
	}
	return nil
}

// setContent sets the content. The first that applies is used: a requested template or interactive, media, a template
// from the settings, or the text.
func (m *message) setContent(out *gateway.Outbound, s *settings) *gateway.Error {
	preset := s.PresetTemplates[out.Preset]
	switch {
	case out.Template != nil:
		return m.setTemplate(out)
	case out.Interactive != nil:
		return m.setInteractive(out)
	case out.Media != nil:
		return m.setMedia(out.Media, out.Text)
	case out.Code != "" && s.CodeTemplate != nil:
		return m.setCodeTemplate(out, s.CodeTemplate)
	case preset != nil && m.setPresetTemplate(out, preset):
		return nil
	case out.Text == "":
		return &gateway.Error{Class: gateway.Permanent, Code: "message_empty"}
	case utf8.RuneCountInString(out.Text) > maxText:
		return &gateway.Error{Class: gateway.Permanent, Code: "message_too_long"}
	}
	m.Text = &text{Body: out.Text}
	return nil
}

// setMedia sets an attachment with its caption.
func (m *message) setMedia(media *gateway.Media, caption string) (failure *gateway.Error) {
	if m.Type, m.media, failure = m.attach(media); failure != nil {
		return failure
	}
	m.media.Caption = caption
	switch {
	case utf8.RuneCountInString(caption) > maxCaption:
		return &gateway.Error{Class: gateway.Permanent, Code: "message_too_long"}
	case m.Audio != nil && caption != "": // WhatsApp does not show it
		return &gateway.Error{Class: gateway.Permanent, Code: "caption_unsupported"}
	}
	return nil
}

// attach sets the field for the attachment's kind. upload sets the attachment's ID later.
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

// attachHeader is like attach, but for headers, which cannot contain audio.
func (a *attached) attachHeader(media *gateway.Media) (kind string, at *attachment, failure *gateway.Error) {
	if kind, at, failure = a.attach(media); a.Audio != nil {
		return "", nil, &gateway.Error{Class: gateway.Permanent, Code: "media_unsupported"}
	}
	return kind, at, failure
}

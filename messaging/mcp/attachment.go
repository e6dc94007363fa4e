package mcp

import (
	"bytes"
	"context"
	"image"
	_ "image/gif"  // decodes the size of a picture
	_ "image/jpeg" // decodes the size of a picture
	_ "image/png"  // decodes the size of a picture
	"io"
	"strings"
	"unicode/utf8"

	_ "golang.org/x/image/webp" // decodes the size of a picture

	"example.com/griot/messaging/account"
	"example.com/griot/messaging/media"
)

// A block is an item of a result's content.
type block struct {
	Type     string    `json:"type"`
	Text     string    `json:"text,omitempty"`
	Data     []byte    `json:"data,omitempty"` // in Base64
	MIMEType string    `json:"mimeType,omitempty"`
	Resource *resource `json:"resource,omitempty"`
}

// A resource is a file that is neither a picture nor audio.
type resource struct {
	URI      string `json:"uri"`
	MIMEType string `json:"mimeType"`
	Blob     []byte `json:"blob"` // in Base64
}

func textBlock(text []byte) block { return block{Type: "text", Text: string(text)} }

// Limits of read_attachment. Larger pictures are refused by models, and a refused one can end a whole session.
const (
	maxFile = 1 << 20  // bytes
	maxText = 64 << 10 // bytes, because a text is read by the model as it is
	maxSide = 8000     // pixels
)

// attached is the result of read_attachment.
type attached struct {
	attachmentBody

	blocks []block // the file; empty: omitted
}

type attachmentBody struct {
	MessageID string  `json:"messageId"`
	FileName  *string `json:"fileName"` // null: none
	MIMEType  string  `json:"mimeType"`
	Size      int64   `json:"size"` // in bytes
	MediaURL  string  `json:"mediaUrl"`
	Text      *string `json:"text"`    // of a plain text; null: another kind of file
	Omitted   *string `json:"omitted"` // the reason why the content isn't included; null: it is
}

// Reasons for omitted content.
const (
	tooLarge        = "too_large"
	unsupportedType = "unsupported_type"
)

func (s *Server) readAttachment(ctx context.Context, c *account.Caller, a *arguments) (any, error) {
	id := a.required("messageId", maxMessageID)
	if err := a.check(); err != nil {
		return nil, err
	}
	m, url, err := s.o.Inbox.Attachment(ctx, c, id)
	if err != nil {
		return nil, err
	}
	out := &attached{attachmentBody: attachmentBody{MessageID: id, MIMEType: m.MIMEType, Size: m.Size, MediaURL: url}}
	if m.FileName != "" {
		out.FileName = &m.FileName
	}
	if m.Size > maxFile {
		out.omit(tooLarge)
		return out, nil
	}
	data, err := io.ReadAll(m)
	if err != nil {
		return nil, err
	}
	out.show(data)
	return out, nil
}

func (a *attached) omit(why string) { a.Omitted = &why }

// show adds the content of a file if its type is a safe one. Only its bytes decide the type, because its sender chose
// the name and the declared type. A text is a part of the JSON, so that it is marked as untrusted like a message.
func (a *attached) show(data []byte) {
	switch kind := media.KindOf(data, "", ""); kind {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		size, _, err := image.DecodeConfig(bytes.NewReader(data))
		if err != nil || size.Width > maxSide || size.Height > maxSide {
			a.omit(unsupportedType)
			return
		}
		a.MIMEType, a.blocks = kind, []block{{Type: "image", Data: data, MIMEType: kind}}
	case "audio/ogg", "audio/mpeg", "audio/mp4", "audio/aac", "audio/amr", "audio/wave":
		kind = strings.Replace(kind, "wave", "wav", 1) // the name that clients know
		a.MIMEType, a.blocks = kind, []block{{Type: "audio", Data: data, MIMEType: kind}}
	case "application/pdf":
		a.MIMEType, a.blocks = kind, []block{{Type: "resource", Resource: &resource{a.MediaURL, kind, data}}}
	case "text/plain":
		a.MIMEType = kind
		switch text := string(data); {
		case len(text) > maxText:
			a.omit(tooLarge)
		case !utf8.ValidString(text):
			a.omit(unsupportedType)
		default:
			a.Text = &text
		}
	default:
		a.omit(unsupportedType)
	}
}

package virtual

import (
	"crypto/sha256"
	"encoding/hex"
	"mime"
	"net/url"
	"path"
	"strings"
	"unicode/utf8"

	"griot/gateway"
)

const (
	mediaURLMaxSize = 2048
	mediaNameMax    = 255 // bytes of a file's name or of a MIME type
)

// media is an attachment as a phone shows it. The phone keeps where it came from and what its bytes were, not the bytes.
type media struct {
	URL    string
	MIME   string
	Name   string
	Size   int64  // received: how many bytes came
	SHA256 string // received: of these bytes, in hexadecimal
}

// forms is what a phone shows beside a text.
type forms struct {
	Interactive *gateway.Interactive `json:",omitempty"`
	Template    *gateway.Template    `json:",omitempty"` // in whose name the text came
}

// formsOf notes what WhatsApp shows; other channels have the text.
func formsOf(out *gateway.Outbound) (f forms, note string) {
	if out.Channel != gateway.WhatsApp {
		return forms{}, ""
	}
	if out.Template != nil {
		return forms{Template: out.Template}, "template " + out.Template.Name
	}
	return forms{Interactive: out.Interactive}, ""
}

// mediaOf notes what arrived; nil when nothing is attached.
func mediaOf(m *gateway.Media) *media {
	if m == nil {
		return nil
	}
	if m.Data == nil { // by its link alone: what it is, only its name tells
		return &media{URL: m.URL, MIME: typeByName(m.URL)}
	}
	sum := sha256.Sum256(m.Data)
	return &media{URL: m.URL, MIME: m.MIMEType, Name: m.FileName, Size: int64(len(m.Data)), SHA256: hex.EncodeToString(sum[:])}
}

// typeByName guesses a MIME type from the name at the end of an address; "" when it says nothing.
func typeByName(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	t, _, _ := strings.Cut(mime.TypeByExtension(path.Ext(u.Path)), ";")
	return t
}

// typeOf is the type of a message with this attachment.
func typeOf(m *media) gateway.InboundType {
	if m == nil {
		return gateway.InboundText
	}
	switch top, _, _ := strings.Cut(m.MIME, "/"); top {
	case "image":
		return gateway.InboundImage
	case "video":
		return gateway.InboundVideo
	case "audio":
		return gateway.InboundAudio
	default:
		return gateway.InboundDocument
	}
}

func knownType(t gateway.InboundType) bool {
	switch t {
	case gateway.InboundText, gateway.InboundImage, gateway.InboundVideo, gateway.InboundAudio, gateway.InboundDocument,
		gateway.InboundSticker, gateway.InboundLocation, gateway.InboundContacts, gateway.InboundReaction, gateway.InboundOther:
		return true
	}
	return false
}

// writing is what a phone is asked to write, besides to whom.
type writing struct{ channel, text, typ, mediaURL, mimeType, fileName string }

// check returns the message's type and its attachment, if any.
func (w *writing) check() (gateway.InboundType, *media, error) {
	var m *media
	if w.mediaURL != "" || w.mimeType != "" || w.fileName != "" {
		m = &media{URL: w.mediaURL, MIME: w.mimeType, Name: w.fileName}
		if !m.wellFormed() {
			return "", nil, badRequest("invalid_media", "mediaUrl has to be an http or https address, mimeType and fileName short, and neither is there without a mediaUrl.")
		}
	}
	t := gateway.InboundType(w.typ)
	if t == "" {
		t = typeOf(m)
	}
	length := utf8.RuneCountInString(w.text)
	switch {
	case !knownType(t) || m != nil && t == gateway.InboundText:
		return "", nil, badRequest("invalid_type", "The type has to be text, image, video, audio, document, sticker, location, contacts or reaction, and not text with a mediaUrl.")
	case gateway.Channel(w.channel) == gateway.SMS && t != gateway.InboundText:
		return "", nil, badRequest("invalid_type", "An SMS is text only.")
	case length == 0 && m == nil || length > textMaxLength:
		return "", nil, badRequest("invalid_text", "The text has to have 1 to 4096 characters; with a mediaUrl it may be empty.")
	}
	return t, m, nil
}

func (m *media) wellFormed() bool {
	u, err := url.Parse(m.URL)
	if err != nil || len(m.URL) > mediaURLMaxSize || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	if m.MIME != "" {
		if _, _, err := mime.ParseMediaType(m.MIME); err != nil || !strings.Contains(m.MIME, "/") {
			return false
		}
	}
	return len(m.MIME) <= mediaNameMax && len(m.Name) <= mediaNameMax
}

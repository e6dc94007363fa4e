package virtual

import (
	"cmp"
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

// answers is what a message that a phone wrote is an answer with, and to.
type answers struct {
	Choice  gateway.Choice `json:",omitzero"`  // the button or row that was pressed
	ReplyTo string         `json:",omitempty"` // the id, in the phone's list, of the message that it answers
	Quoted  gateway.Quoted `json:",omitzero"`  // the same as the sink is told of it
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
type writing struct {
	channel, text, typ, mediaURL, mimeType, fileName string
	choice                                           *pressed
}

// pressed is a button or a row of a list that a person presses.
type pressed struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

const choiceMaxLength = 256 // characters of an id or a title

func (p *pressed) wellFormed() bool {
	return p.Title != "" && utf8.RuneCountInString(p.ID) <= choiceMaxLength && utf8.RuneCountInString(p.Title) <= choiceMaxLength && !strings.ContainsRune(p.ID+p.Title, 0)
}

// check returns the message's type and its attachment, if any.
func (w *writing) check() (gateway.InboundType, *media, error) {
	var m *media
	if w.mediaURL != "" || w.mimeType != "" || w.fileName != "" {
		m = &media{URL: w.mediaURL, MIME: w.mimeType, Name: w.fileName}
		if !m.wellFormed() {
			return "", nil, badRequest("invalid_media", "mediaUrl has to be an http or https address, mimeType and fileName short, and neither is there without a mediaUrl.")
		}
	}
	if w.choice != nil {
		if !w.choice.wellFormed() || gateway.Channel(w.channel) != gateway.WhatsApp || m != nil || w.typ != "" && w.typ != string(gateway.InboundText) {
			return "", nil, badRequest("invalid_choice", "A choice is {id, title} with a title, of at most 256 characters each, on WhatsApp and in a text.")
		}
		w.text = cmp.Or(w.text, w.choice.Title)
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

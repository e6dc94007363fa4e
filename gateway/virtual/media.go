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

	"example.com/griot/gateway"
)

const (
	mediaURLMaxSize = 2048
	mediaNameMax    = 255 // in bytes, of a file name or a MIME type
)

// media is an attachment without its bytes.
type media struct {
	URL    string
	MIME   string
	Name   string
	Size   int64  // received: bytes
	SHA256 string // received: of the bytes, in hexadecimal
}

// forms contains the content that a phone shows in addition to a text.
type forms struct {
	Interactive *gateway.Interactive `json:",omitempty"`
	Template    *gateway.Template    `json:",omitempty"` // the template that the text was sent with
	// NumberRequest means that a button below the text shares the phone's number ([Gateway.AskForNumber]).
	NumberRequest bool `json:",omitempty"`
}

// reply is the message or choice that a message responds to.
type reply struct {
	Choice  gateway.Choice `json:",omitzero"`  // written: the pressed button or row
	ReplyTo string         `json:",omitempty"` // ID of the quoted message in the phone's list
	Quoted  gateway.Quoted `json:",omitzero"`  // written: the same message for the sink
}

// shownForms returns the content that WhatsApp shows in addition to the text. Other channels show none.
func shownForms(out *gateway.Outbound) forms {
	switch {
	case out.Channel != gateway.WhatsApp:
		return forms{}
	case out.Template != nil:
		return forms{Template: out.Template}
	}
	return forms{Interactive: out.Interactive}
}

// note returns the form for the message's timeline ([gateway.Ack]).
func (f forms) note() string {
	if f.Template == nil {
		return ""
	}
	return "template " + f.Template.Name
}

// mediaOf describes an attachment, or returns nil if there is none.
func mediaOf(m *gateway.Media) *media {
	if m == nil {
		return nil
	}
	if m.Data == nil { // for a link, only its name shows the type
		return &media{URL: m.URL, MIME: typeByName(m.URL)}
	}
	sum := sha256.Sum256(m.Data)
	return &media{URL: m.URL, MIME: m.MIMEType, Name: m.FileName, Size: int64(len(m.Data)), SHA256: hex.EncodeToString(sum[:])}
}

// typeByName returns the MIME type of a URL's file extension, or "".
func typeByName(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	t, _, _ := strings.Cut(mime.TypeByExtension(path.Ext(u.Path)), ";")
	return t
}

// typeOf returns the type of a message with an attachment.
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

// phoneMessage is the content of a request to write a message.
type phoneMessage struct {
	channel, text, typ, mediaURL, mimeType, fileName string
	choice                                           *pressedChoice
}

// pressedChoice is a button or a list row that a person presses.
type pressedChoice struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

const choiceMaxLength = 256 // in characters, of an ID or a title

func (p *pressedChoice) valid() bool {
	return p.Title != "" && utf8.RuneCountInString(p.ID) <= choiceMaxLength && utf8.RuneCountInString(p.Title) <= choiceMaxLength && !strings.ContainsRune(p.ID+p.Title, 0)
}

// check returns the message's type and its attachment, if any.
func (w *phoneMessage) check() (gateway.InboundType, *media, error) {
	var m *media
	if w.mediaURL != "" || w.mimeType != "" || w.fileName != "" {
		m = &media{URL: w.mediaURL, MIME: w.mimeType, Name: w.fileName}
		if !m.valid() {
			return "", nil, badRequest("invalid_media", "mediaUrl has to be an http or https address, mimeType and fileName short, and neither is there without a mediaUrl.")
		}
	}
	if w.choice != nil {
		if !w.choice.valid() || gateway.Channel(w.channel) != gateway.WhatsApp || m != nil || w.typ != "" && w.typ != string(gateway.InboundText) {
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
	case !t.Known() || m != nil && t == gateway.InboundText:
		return "", nil, badRequest("invalid_type", "The type has to be text, image, video, audio, document, sticker, location, contacts or reaction, and not text with a mediaUrl.")
	case gateway.Channel(w.channel) == gateway.SMS && t != gateway.InboundText:
		return "", nil, badRequest("invalid_type", "An SMS is text only.")
	case length == 0 && m == nil || length > textMaxLength:
		return "", nil, invalidText()
	}
	return t, m, nil
}

func invalidText() error {
	return badRequest("invalid_text", "The text has to have 1 to 4096 characters; with a mediaUrl it may be empty.")
}

func (m *media) valid() bool {
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

package phonetest

import (
	"testing"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"google.golang.org/protobuf/proto"
)

// Sticker is the kind of stickers, which use the same keys as pictures.
const Sticker whatsmeow.MediaType = "sticker"

// Attachment is an attachment that a phone sends.
type Attachment struct {
	Kind     whatsmeow.MediaType // or Sticker
	Data     []byte
	MIMEType string
	Caption  string
	FileName string
	Change   func(*waE2E.DocumentMessage) // for a document: changes that make it invalid; nil: none
}

// SendAttachment uploads an attachment and sends it to a number.
func (p *Phone) SendAttachment(t testing.TB, to string, a Attachment) {
	t.Helper()
	keys := a.Kind
	if a.Kind == Sticker {
		keys = whatsmeow.MediaImage
	}
	up, err := p.Client.Upload(t.Context(), a.Data, keys)
	if err != nil {
		t.Fatal(err)
	}
	var m waE2E.Message
	mime, caption := proto.String(a.MIMEType), proto.String(a.Caption)
	switch a.Kind {
	case whatsmeow.MediaImage:
		m.ImageMessage = &waE2E.ImageMessage{Caption: caption, Mimetype: mime, URL: &up.URL, DirectPath: &up.DirectPath, MediaKey: up.MediaKey, FileEncSHA256: up.FileEncSHA256, FileSHA256: up.FileSHA256, FileLength: &up.FileLength}
	case whatsmeow.MediaVideo:
		m.VideoMessage = &waE2E.VideoMessage{Caption: caption, Mimetype: mime, URL: &up.URL, DirectPath: &up.DirectPath, MediaKey: up.MediaKey, FileEncSHA256: up.FileEncSHA256, FileSHA256: up.FileSHA256, FileLength: &up.FileLength}
	case whatsmeow.MediaAudio:
		m.AudioMessage = &waE2E.AudioMessage{Mimetype: mime, URL: &up.URL, DirectPath: &up.DirectPath, MediaKey: up.MediaKey, FileEncSHA256: up.FileEncSHA256, FileSHA256: up.FileSHA256, FileLength: &up.FileLength}
	case Sticker:
		m.StickerMessage = &waE2E.StickerMessage{Mimetype: mime, URL: &up.URL, DirectPath: &up.DirectPath, MediaKey: up.MediaKey, FileEncSHA256: up.FileEncSHA256, FileSHA256: up.FileSHA256, FileLength: &up.FileLength}
	default:
		m.DocumentMessage = &waE2E.DocumentMessage{Caption: caption, Mimetype: mime, FileName: proto.String(a.FileName), URL: &up.URL, DirectPath: &up.DirectPath, MediaKey: up.MediaKey, FileEncSHA256: up.FileEncSHA256, FileSHA256: up.FileSHA256, FileLength: &up.FileLength}
		if a.Change != nil {
			a.Change(m.DocumentMessage)
		}
	}
	p.SendMessage(t, to, &m)
}

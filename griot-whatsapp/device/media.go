package device

import (
	"context"
	"strings"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"google.golang.org/protobuf/proto"
)

// attach uploads the attachment of a message and builds the message. The text becomes the caption, and the message
// can reply to another one.
func (d *Device) attach(ctx context.Context, m Message, quoted *waE2E.ContextInfo) (*waE2E.Message, *Failure) {
	mime, caption := m.Media.MIMEType, proto.String(m.Text)
	if m.Text == "" {
		caption = nil
	}
	kind, _, _ := strings.Cut(mime, "/")
	upload := whatsmeow.MediaDocument
	switch {
	case mime == "image/jpeg" || mime == "image/png":
		upload = whatsmeow.MediaImage
	case mime == "video/mp4" || mime == "video/3gpp":
		upload = whatsmeow.MediaVideo
	case kind == "audio" && caption == nil: // WhatsApp shows no caption for audio
		upload = whatsmeow.MediaAudio
	}
	up, err := d.client.Upload(ctx, m.Media.Data, upload)
	if err != nil {
		return nil, &Failure{Class: Temporary, Code: "upload_failed"}
	}
	switch upload {
	case whatsmeow.MediaImage:
		return &waE2E.Message{ImageMessage: &waE2E.ImageMessage{
			Caption: caption, Mimetype: &mime, URL: &up.URL, DirectPath: &up.DirectPath, MediaKey: up.MediaKey,
			FileEncSHA256: up.FileEncSHA256, FileSHA256: up.FileSHA256, FileLength: &up.FileLength, ContextInfo: quoted,
		}}, nil
	case whatsmeow.MediaVideo:
		return &waE2E.Message{VideoMessage: &waE2E.VideoMessage{
			Caption: caption, Mimetype: &mime, URL: &up.URL, DirectPath: &up.DirectPath, MediaKey: up.MediaKey,
			FileEncSHA256: up.FileEncSHA256, FileSHA256: up.FileSHA256, FileLength: &up.FileLength, ContextInfo: quoted,
		}}, nil
	case whatsmeow.MediaAudio:
		var note *bool // nil: a file of sound, which the person opens like any other
		var seconds *uint32
		if length, ok := voice(m.Media.Data); ok {
			note, seconds, mime = proto.Bool(true), &length, voiceType
		}
		return &waE2E.Message{AudioMessage: &waE2E.AudioMessage{
			PTT: note, Seconds: seconds, Mimetype: &mime, URL: &up.URL, DirectPath: &up.DirectPath, MediaKey: up.MediaKey,
			FileEncSHA256: up.FileEncSHA256, FileSHA256: up.FileSHA256, FileLength: &up.FileLength, ContextInfo: quoted,
		}}, nil
	default:
		name := m.Media.FileName
		if name == "" {
			name = "document"
		}
		return &waE2E.Message{DocumentMessage: &waE2E.DocumentMessage{
			Caption: caption, Mimetype: &mime, FileName: &name, Title: &name, URL: &up.URL, DirectPath: &up.DirectPath, MediaKey: up.MediaKey,
			FileEncSHA256: up.FileEncSHA256, FileSHA256: up.FileSHA256, FileLength: &up.FileLength, ContextInfo: quoted,
		}}, nil
	}
}

// Group is one of the number's groups.
type Group struct {
	ID           string
	Name         string
	Participants int
	IsAdmin      bool
}

// Groups returns the groups that the number belongs to.
func (d *Device) Groups(ctx context.Context) ([]Group, *Failure) {
	if f := d.Down(); f != nil {
		return nil, f
	}
	joined, err := d.client.GetJoinedGroups(ctx)
	if err != nil {
		return nil, &Failure{Class: Temporary, Code: "lookup_failed"}
	}
	groups := make([]Group, 0, len(joined))
	for _, g := range joined {
		group := Group{ID: g.JID.String(), Name: g.Name, Participants: len(g.Participants)}
		for _, p := range g.Participants {
			if p.PhoneNumber.User == d.config.Number || p.JID.User == d.config.Number {
				group.IsAdmin = p.IsAdmin || p.IsSuperAdmin
			}
		}
		groups = append(groups, group)
	}
	return groups, nil
}

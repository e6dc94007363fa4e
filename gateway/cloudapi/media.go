package cloudapi

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"mime"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"strings"

	"example.com/griot/gateway"
	"example.com/griot/gateway/internal/httpcall"
)

// Limits of images, and of videos and audios; larger ones are sent as documents.
const (
	maxImage      = 5 << 20
	maxAudioVideo = 16 << 20
)

// kindOf returns the kind and the MIME type that an attachment is sent with; ok is false for types that Meta refuses. The
// type of a link may be unknown.
func kindOf(media *gateway.Media) (kind, mimeType string, ok bool) {
	name, _, err := mime.ParseMediaType(media.MIMEType)
	if err != nil && len(media.Data) == 0 && media.MIMEType == "" {
		return "document", "", true
	}
	switch name {
	case "image/jpeg", "image/png":
		return kindWithin("image", media, maxImage), name, true
	case "video/mp4", "video/3gpp":
		return kindWithin("video", media, maxAudioVideo), name, true
	case "audio/aac", "audio/amr", "audio/mpeg", "audio/mp4", "audio/ogg":
		return kindWithin("audio", media, maxAudioVideo), name, true
	case "application/pdf", "application/msword", "application/vnd.ms-excel", "application/vnd.ms-powerpoint",
		"application/vnd.openxmlformats-officedocument.wordprocessingml.document", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
		"application/vnd.openxmlformats-officedocument.presentationml.presentation":
		return "document", name, true
	case "text/html", "text/xml":
		return "", "", false
	}
	// Meta accepts one type for texts.
	return "document", "text/plain", strings.HasPrefix(name, "text/")
}

func kindWithin(kind string, media *gateway.Media, limit int) string {
	if len(media.Data) > limit {
		return "document"
	}
	return kind
}

// upload uploads an attachment and sets its id in the message. No failure is Unknown, because the message is not submitted yet.
func (s *sender) upload(ctx context.Context, from string, media *gateway.Media, m *message) *gateway.Error {
	if m.media == nil || len(media.Data) == 0 {
		return nil
	}
	_, mimeType, _ := kindOf(media)
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	_ = w.WriteField("messaging_product", "whatsapp") // a Buffer's writes don't fail
	_ = w.WriteField("type", mimeType)
	part, _ := w.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {multipart.FileContentDisposition("file", cmp.Or(media.FileName, "file"))},
		"Content-Type":        {mimeType},
	})
	_, _ = part.Write(media.Data)
	_ = w.Close()
	answer, failure := s.Call(ctx, s.request(http.MethodPost, from+"/media", w.FormDataContentType(), body.Bytes()), answerError)
	if failure != nil {
		if failure.Class == gateway.Unknown {
			failure.Class, failure.Code = gateway.Temporary, "media_upload_failed"
		}
		return failure
	}
	var stored struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(answer.Body, &stored) != nil || stored.ID == "" {
		return &gateway.Error{Class: gateway.Temporary, Code: "media_upload_failed"}
	}
	m.media.ID = httpcall.Text(stored.ID)
	return nil
}

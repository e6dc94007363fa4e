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

	"griot/gateway"
	"griot/gateway/internal/httpcall"
)

// The largest image that is sent as one, and the largest video and audio; beyond, they are documents.
const (
	mostImage = 5 << 20
	mostFilm  = 16 << 20
)

// kindOf returns as what an attachment is sent, and as which type; ok is false for what Meta doesn't take. Of an address
// alone, nothing may be known: Meta will see.
func kindOf(media *gateway.Media) (kind, mimeType string, ok bool) {
	name, _, err := mime.ParseMediaType(media.MIMEType)
	if err != nil && len(media.Data) == 0 && media.MIMEType == "" {
		return "document", "", true
	}
	switch name {
	case "image/jpeg", "image/png":
		return shown("image", media, mostImage), name, true
	case "video/mp4", "video/3gpp":
		return shown("video", media, mostFilm), name, true
	case "audio/aac", "audio/amr", "audio/mpeg", "audio/mp4", "audio/ogg":
		return shown("audio", media, mostFilm), name, true
	case "application/pdf", "application/msword", "application/vnd.ms-excel", "application/vnd.ms-powerpoint",
		"application/vnd.openxmlformats-officedocument.wordprocessingml.document", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
		"application/vnd.openxmlformats-officedocument.presentationml.presentation":
		return "document", name, true
	case "text/html", "text/xml":
		return "", "", false
	}
	// Meta knows one type for texts; its name still says what a table or a card is.
	return "document", "text/plain", strings.HasPrefix(name, "text/")
}

func shown(kind string, media *gateway.Media, most int) string {
	if len(media.Data) > most {
		return "document"
	}
	return kind
}

// upload puts an attachment's bytes into Meta's store and its id into the message. Whatever
// becomes of an upload, the message has not been handed over.
func (s *sender) upload(ctx context.Context, from string, media *gateway.Media, m *message) *gateway.Error {
	if m.media == nil || len(media.Data) == 0 {
		return nil
	}
	_, mimeType, _ := kindOf(media)
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	_ = w.WriteField("messaging_product", "whatsapp") // a Buffer fails at nothing
	_ = w.WriteField("type", mimeType)
	part, _ := w.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {multipart.FileContentDisposition("file", cmp.Or(media.FileName, "file"))},
		"Content-Type":        {mimeType},
	})
	_, _ = part.Write(media.Data)
	_ = w.Close()
	answer, failure := s.Do(ctx, s.request(http.MethodPost, from+"/media", w.FormDataContentType(), body.Bytes()))
	if failure == nil {
		failure = refused(answer)
	}
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

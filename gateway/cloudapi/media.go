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

	"griot/gateway"
	"griot/gateway/internal/httpcall"
)

// The largest image that is sent as one, and the largest video and audio; beyond, they are documents.
const (
	mostImage = 5 << 20
	mostFilm  = 16 << 20
)

// kindOf returns as what an attachment is sent: what the API doesn't show is a document.
func kindOf(media *gateway.Media) string {
	switch mediaType(media) {
	case "image/jpeg", "image/png":
		if len(media.Data) <= mostImage {
			return "image"
		}
	case "video/mp4", "video/3gpp":
		if len(media.Data) <= mostFilm {
			return "video"
		}
	case "audio/aac", "audio/amr", "audio/mpeg", "audio/mp4", "audio/ogg":
		if len(media.Data) <= mostFilm {
			return "audio"
		}
	}
	return "document"
}

// mediaType returns the MIME type without its parameters.
func mediaType(media *gateway.Media) string {
	name, _, err := mime.ParseMediaType(media.MIMEType)
	if err != nil {
		return "application/octet-stream"
	}
	return name
}

// upload puts an attachment's bytes into Meta's store and its id into the message. Whatever
// becomes of an upload, the message has not been handed over.
func (s *sender) upload(ctx context.Context, from string, media *gateway.Media, m *message) *gateway.Error {
	if m.media == nil || len(media.Data) == 0 {
		return nil
	}
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	_ = w.WriteField("messaging_product", "whatsapp") // a Buffer fails at nothing
	_ = w.WriteField("type", mediaType(media))
	part, _ := w.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {multipart.FileContentDisposition("file", cmp.Or(media.FileName, "file"))},
		"Content-Type":        {mediaType(media)},
	})
	_, _ = part.Write(media.Data)
	_ = w.Close()
	answer, failure := s.calls.Do(ctx, s.request(http.MethodPost, from+"/media", w.FormDataContentType(), body.Bytes()))
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

package cloudapi

import (
	"fmt"
	"strings"
	"testing"

	"example.com/griot/gateway"
)

// Unsupported types are refused before anything is uploaded.
func TestSend_MediaTypes(t *testing.T) {
	t.Parallel()
	const office = "application/vnd.openxmlformats-officedocument."
	for mimeType, want := range map[string]string{ // the member, and the type of the upload
		"image/jpeg": "image image/jpeg", "image/png": "image image/png", "video/mp4": "video video/mp4", "video/3gpp": "video video/3gpp",
		"audio/aac": "audio audio/aac", "audio/amr": "audio audio/amr", "audio/mpeg": "audio audio/mpeg", "audio/mp4": "audio audio/mp4", "audio/ogg": "audio audio/ogg",
		"application/pdf": "document application/pdf", "application/msword": "document application/msword", "application/vnd.ms-excel": "document application/vnd.ms-excel",
		"application/vnd.ms-powerpoint": "document application/vnd.ms-powerpoint", office + "wordprocessingml.document": "document " + office + "wordprocessingml.document",
		office + "spreadsheetml.sheet": "document " + office + "spreadsheetml.sheet", office + "presentationml.presentation": "document " + office + "presentationml.presentation",
		"text/plain": "document text/plain", "text/csv": "document text/plain", "text/vcard": "document text/plain", "Text/Plain; charset=utf-8": "document text/plain",
		"image/gif": "", "image/webp": "", "image/tiff": "", "image/heic": "", "image/svg+xml": "", "video/quicktime": "", "video/webm": "", "audio/vorbis": "", "audio/amr-wb": "", "audio/wave": "",
		"application/zip": "", "application/octet-stream": "", "application/json": "", "text/html": "", "text/xml": "", "application/vnd.oasis.opendocument.text": "", "": "", "nonsense": "",
	} {
		g := newFakeGraph(t)
		g.noStatuses = true
		s, _ := g.open(nil)
		out := messageTo(aissata)
		out.Text, out.Media = "", &gateway.Media{URL: "https://example.com/a", Data: []byte("abc"), MIMEType: mimeType, FileName: "a"}
		_, err := s.Send(t.Context(), out)
		if want == "" {
			wantFailure(t, err, "permanent media_unsupported")
			if len(g.uploads)+len(g.Received()) != 0 {
				t.Errorf("%s: a request was made", mimeType)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", mimeType, err)
			continue
		}
		up, _, _ := strings.Cut(g.uploads["4490709327384033"], " ")
		if got := fmt.Sprint(g.lastPost()["type"], " ", up); got != want {
			t.Errorf("%s is sent as %s, want %s", mimeType, got, want)
		}
	}
}

// A failed upload is Temporary, because no message was submitted.
func TestSend_UploadFails(t *testing.T) {
	t.Parallel()
	g := newFakeGraph(t)
	s, _ := g.open(nil)
	out := messageTo(aissata)
	out.Media = &gateway.Media{Data: []byte("PNG"), MIMEType: "image/png"}
	g.SetMode("no upload")
	_, err := s.Send(t.Context(), out)
	wantFailure(t, err, "temporary media_upload_failed HTTP 502")
	g.SetMode("code 131053")
	_, err = s.Send(t.Context(), out)
	wantFailure(t, err, "permanent media_refused 131053")
	g.SetMode("refuse login")
	_, err = s.Send(t.Context(), out)
	wantFailure(t, err, "sender_down credentials_refused 190")
	if len(g.Received()) != 0 {
		t.Error("a message was sent")
	}
}

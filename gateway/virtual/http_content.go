package virtual

import (
	"bytes"
	"net/http"
	"strings"
	"time"

	"example.com/griot/internal/httpx"
)

// mediaPolicy allows a browser only to show an attachment from our address.
const mediaPolicy = "sandbox; default-src 'none'; frame-ancestors 'none'"

// contentOf returns the message with a request's address and ID.
func (g *Gateway) contentOf(r *http.Request) (*message, error) {
	a, err := g.pathAddress(r)
	if err != nil {
		return nil, err
	}
	list, err := g.store.messages(r.Context(), a.key)
	if err != nil {
		return nil, err
	}
	for i := range list {
		if list[i].id == r.PathValue("id") {
			return &list[i], nil
		}
	}
	return nil, messageNotFound()
}

// showHTML serves the HTML of a mail for a frame of the page. The frame executes and loads nothing.
func (g *Gateway) showHTML(w http.ResponseWriter, r *http.Request) {
	m, err := g.contentOf(r)
	if err == nil && m.html == "" {
		err = &problem{http.StatusNotFound, "no_html", "The message has no HTML."}
	}
	if err != nil {
		g.answer(w, r, 0, nil, err)
		return
	}
	_ = httpx.WriteMail(w, m.html)
}

// showMedia serves a message's picture, audio, or video, because the page cannot load anything from other origins. If
// the attachment cannot be fetched or has another type, the response is 204.
func (g *Gateway) showMedia(w http.ResponseWriter, r *http.Request) {
	m, err := g.contentOf(r)
	if err == nil && m.media == nil {
		err = &problem{http.StatusNotFound, "no_media", "The message has no attachment."}
	}
	if err != nil {
		g.answer(w, r, 0, nil, err)
		return
	}
	if g.fetch != nil {
		fetched, err := g.fetch(r.Context(), m.media.URL)
		if err == nil && playable(fetched.MIMEType) {
			httpx.Inert(w.Header(), fetched.MIMEType, mediaPolicy)
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(fetched.Data))
			return
		}
	}
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusNoContent)
}

// playable reports whether a browser shows or plays a type without executing anything.
func playable(mimeType string) bool {
	switch mimeType {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return true
	}
	return strings.HasPrefix(mimeType, "audio/") || strings.HasPrefix(mimeType, "video/")
}

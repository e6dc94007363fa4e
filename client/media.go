package griot

import (
	"context"
	"io"
	"mime"
	"net/http"
	"strings"

	"example.com/griot/client/internal/wire"
)

// Media is an attachment. Close its Body; the call's context ends what has not been read.
type Media struct {
	Body        io.ReadCloser
	ContentType string
	FileName    string // empty: none was given
	Size        int64  // -1: unknown
	RequestID   string
}

const mediaPath = "/api/media/"

// Media opens an attachment of the inbox: id is [InboxMessage.MediaURL], or mediaUrl of the event message.received.
// Attachments at other addresses, which a gateway keeps itself, are not the service's.
func (c *Client) Media(ctx context.Context, id string) (*Media, error) {
	if _, last, ok := strings.Cut(id, mediaPath); ok {
		id = last
	}
	path, err := at(mediaPath, "id", id, "")
	if err != nil {
		return nil, err
	}
	what := wire.Call{Method: http.MethodGet, Path: path, Header: http.Header{"Accept": {"*/*"}}}
	res, err := c.wire.Open(ctx, what, func(a *wire.Answer) error { return errorOf(a) }) //nolint:bodyclose // Media's caller closes it
	if err != nil {
		return nil, unanswered(err, "")
	}
	m := &Media{Body: res.Body, ContentType: res.Header.Get("Content-Type"), Size: res.ContentLength, RequestID: res.Header.Get("X-Request-Id")}
	if _, of, err := mime.ParseMediaType(res.Header.Get("Content-Disposition")); err == nil {
		m.FileName = of["filename"]
	}
	return m, nil
}

package griot

import (
	"context"
	"io"
	"mime"
	"net/http"
	"strings"

	"example.com/griot/client/internal/wire"
)

// A Media is an open attachment. Close its Body after use. Canceling the call's context aborts the download.
type Media struct {
	Body        io.ReadCloser
	ContentType string
	FileName    string // empty: unknown
	Size        int64  // -1: unknown
	RequestID   string
}

const mediaPath = "/api/media/"

// Media opens an attachment of the inbox. The id is an [InboxMessage.MediaURL] or the mediaUrl of a message.received
// event. The service does not serve attachments that a gateway stores at other addresses.
func (c *Client) Media(ctx context.Context, id string) (*Media, error) {
	if _, last, ok := strings.Cut(id, mediaPath); ok {
		id = last
	}
	path, err := at(mediaPath, "id", id, "")
	if err != nil {
		return nil, err
	}
	what := wire.Call{Method: http.MethodGet, Path: path, Header: http.Header{"Accept": {"*/*"}}}
	res, err := c.wire.Open(ctx, what, func(a *wire.Answer) error { return errorOf(a) }) //nolint:bodyclose // the caller of Media closes it
	if err != nil {
		return nil, unanswered(err, "")
	}
	m := &Media{Body: res.Body, ContentType: res.Header.Get("Content-Type"), Size: res.ContentLength, RequestID: res.Header.Get("X-Request-Id")}
	if _, of, err := mime.ParseMediaType(res.Header.Get("Content-Disposition")); err == nil {
		m.FileName = of["filename"]
	}
	return m, nil
}

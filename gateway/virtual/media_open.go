package virtual

import (
	"context"
	"io"
	"net/http"

	"example.com/griot/gateway/internal/httpcall"
)

// OpenMedia implements [gateway.MediaOpener]. A phone's attachment is the content at an address.
func (g *Gateway) OpenMedia(ctx context.Context, address string, public *http.Client) (io.ReadCloser, error) {
	body, failure := httpcall.OpenBy(ctx, public.Transport, &httpcall.Request{URL: address})
	if failure != nil {
		return nil, failure
	}
	return body, nil
}

package httpcall

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"

	"example.com/griot/gateway"
	"example.com/griot/internal/safedial"
)

// Open makes a GET request whose response is read as a stream. The caller closes it. It ends with ctx.
func (c *Client) Open(ctx context.Context, r *Request) (io.ReadCloser, *gateway.Error) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(c.closed, func() { cancel(errClosed) })
	body, failure := OpenBy(ctx, c.transport, r)
	if failure != nil {
		stop()
		cancel(nil)
		return nil, failure
	}
	return &stream{body, func() { stop(); cancel(nil) }}, nil
}

// stream is the body of a response. Closing it ends the call.
type stream struct {
	io.ReadCloser
	end func()
}

// Close implements [io.Closer].
func (s *stream) Close() error {
	defer s.end()
	return s.ReadCloser.Close()
}

// OpenBy is like [Client.Open], with a transport that the caller provides. A response other than 200 is an error:
// [gateway.Permanent] if the file will never be available, otherwise [gateway.Temporary]. Redirects are not followed.
func OpenBy(ctx context.Context, through http.RoundTripper, r *Request) (io.ReadCloser, *gateway.Error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, r.URL, nil)
	if err != nil {
		return nil, &gateway.Error{Class: gateway.Permanent, Code: CodeMediaUnavailable}
	}
	for name, values := range r.Header {
		request.Header[name] = values
	}
	request.Header.Set("User-Agent", "griot")
	answer, err := through.RoundTrip(request)
	if err != nil {
		class := gateway.Temporary
		if errors.Is(err, safedial.ErrRefused) {
			class = gateway.Permanent
		}
		return nil, &gateway.Error{Class: class, Code: CodeMediaUnavailable}
	}
	if answer.StatusCode == http.StatusOK {
		return answer.Body, nil
	}
	_ = answer.Body.Close()
	class := gateway.Temporary
	if answer.StatusCode == http.StatusNotFound || answer.StatusCode == http.StatusGone {
		class = gateway.Permanent
	}
	return nil, &gateway.Error{Class: class, Code: CodeMediaUnavailable, ProviderCode: strconv.Itoa(answer.StatusCode)}
}

// CodeMediaUnavailable is the code of an attachment that can't be fetched.
const CodeMediaUnavailable = "media_unavailable"

package httpcall

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"net/http"
	"sync/atomic"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/clock"
)

// Options are the parameters of a Client. A zero field means its default.
type Options struct {
	Timeout     time.Duration  // of a call, from its start to the end of the response; default 30 s
	Connect     time.Duration  // of TCP and TLS together; default 10 s
	Connections int            // maximum number of open connections to one host; default 32
	MaxAnswer   int64          // size limit of a response's body, in bytes; default 1 MiB
	Authorities *x509.CertPool // nil: those of the system
}

// Client calls one provider. It is safe for concurrent use.
type Client struct {
	o         Options
	transport *http.Transport
	closed    context.Context // done after Close
	closeWith context.CancelCauseFunc
	clock     atomic.Pointer[peerClock]
}

// Request is one call. Do does not change Header and Body.
type Request struct {
	Method string
	URL    string
	Header http.Header
	Body   []byte
}

// Answer is the response, of any status.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
	Whole  bool // false: Body was cut off by its size, a timeout, or the connection
}

var errClosed = errors.New("the sender is closed")

// New returns a client. It does not contact the provider.
func New(o Options) *Client {
	o.Timeout = cmp.Or(o.Timeout, 30*time.Second)
	o.Connect = cmp.Or(o.Connect, 10*time.Second)
	o.Connections = cmp.Or(o.Connections, 32)
	o.MaxAnswer = cmp.Or(o.MaxAnswer, 1<<20)
	c := &Client{o: o}
	c.closed, c.closeWith = context.WithCancelCause(context.Background())
	c.transport = &http.Transport{
		DialContext:            c.dial,
		DialTLSContext:         c.dialTLS, // so that the bytes of the request are counted, not those of TLS records
		DisableCompression:     true,
		MaxConnsPerHost:        o.Connections,
		MaxIdleConnsPerHost:    o.Connections,
		IdleConnTimeout:        maxIdle,
		MaxResponseHeaderBytes: 64 << 10,
	}
	return c
}

// Close ends the calls in flight. It can be called twice, and returns nil. A sender that embeds the client implements
// [gateway.Sender] with it.
func (c *Client) Close() error {
	c.closeWith(errClosed)
	c.transport.CloseIdleConnections()
	return nil
}

// Do makes one call. The error is [gateway.Unknown] if the request might have been submitted, and
// [gateway.Temporary], [gateway.SenderDown], or [gateway.Permanent] if it was not. A response of any status is not an
// error.
func (c *Client) Do(ctx context.Context, r *Request) (*Answer, *gateway.Error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(c.closed, func() { cancel(errClosed) })()
	ctx, stop := context.WithTimeout(ctx, c.o.Timeout)
	defer stop()
	for attempt := 0; ; attempt++ {
		if c.closed.Err() != nil {
			return nil, closed()
		}
		if ctx.Err() != nil {
			return nil, interrupted(ctx)
		}
		x := &exchange{body: r.Body, bodyRead: len(r.Body) == 0}
		answer, err := c.roundTrip(ctx, r, x)
		if err == nil {
			return answer, nil
		}
		// A kept-alive connection might have died unnoticed, which is not a failure of the provider.
		if wasDead := x.end(); wasDead && ctx.Err() == nil && attempt <= c.o.Connections {
			continue
		}
		if c.closed.Err() != nil && !x.handedOver() {
			return nil, closed()
		}
		return nil, failed(ctx, x.handedOver(), err)
	}
}

// Call is like [Client.Do], and passes the response to errorOf, which returns nil for a success.
func (c *Client) Call(ctx context.Context, r *Request, errorOf func(*Answer) *gateway.Error) (*Answer, *gateway.Error) {
	answer, failure := c.Do(ctx, r)
	if failure == nil {
		failure = errorOf(answer)
	}
	return answer, failure
}

func (c *Client) roundTrip(ctx context.Context, r *Request, x *exchange) (*Answer, error) {
	request, err := http.NewRequestWithContext(x.withTrace(ctx), r.Method, r.URL, nil)
	if err != nil {
		return nil, errRequest // err contains the URL
	}
	if len(r.Body) > 0 {
		request.Body, request.ContentLength = x, int64(len(r.Body)) // without GetBody, so that the transport does not repeat the request
	}
	for name, values := range r.Header {
		request.Header[name] = values
	}
	if request.Header.Get("User-Agent") == "" {
		request.Header.Set("User-Agent", "griot")
	}
	asked := clock.System()
	response, err := c.transport.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	c.readClock(response.Header, asked)
	defer response.Body.Close()
	x.setMaxIdle(idleFrom(response.Header)) // before the body is read, because afterward the next request might get the connection
	body, whole := read(response.Body, c.o.MaxAnswer)
	return &Answer{Status: response.StatusCode, Header: response.Header, Body: body, Whole: whole}, nil
}

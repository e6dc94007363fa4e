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

// Options are the parameters of a Client. A zero member means its default.
type Options struct {
	Timeout     time.Duration  // of a call, from its start to the end of the answer; 30 s
	Connect     time.Duration  // of TCP and TLS together; 10 s
	Connections int            // that may be open at once to one host; 32
	MaxAnswer   int64          // bytes of an answer's body that are read; 1 MiB
	Authorities *x509.CertPool // nil: the system's
}

// Client calls one provider. It is safe for concurrent use.
type Client struct {
	o         Options
	transport *http.Transport
	closed    context.Context // done after Close
	closeWith context.CancelCauseFunc
	clock     atomic.Pointer[peerClock]
}

// Request is one call. Header and Body are not changed.
type Request struct {
	Method string
	URL    string
	Header http.Header
	Body   []byte
}

// Answer is what came back, whatever its status.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
	Whole  bool // false: Body was cut off by its size, the time, or the connection
}

var errClosed = errors.New("the sender is closed")

// New returns a client. It contacts nothing yet.
func New(o Options) *Client {
	o.Timeout = cmp.Or(o.Timeout, 30*time.Second)
	o.Connect = cmp.Or(o.Connect, 10*time.Second)
	o.Connections = cmp.Or(o.Connections, 32)
	o.MaxAnswer = cmp.Or(o.MaxAnswer, 1<<20)
	c := &Client{o: o}
	c.closed, c.closeWith = context.WithCancelCause(context.Background())
	c.transport = &http.Transport{
		DialContext:            c.dial,
		DialTLSContext:         c.dialTLS, // so that the bytes of the request are counted, and not those of TLS records
		DisableCompression:     true,
		MaxConnsPerHost:        o.Connections,
		MaxIdleConnsPerHost:    o.Connections,
		IdleConnTimeout:        maxIdle,
		MaxResponseHeaderBytes: 64 << 10,
	}
	return c
}

// Close ends the calls in flight. It may be called twice, and returns nil. A sender that embeds the client
// implements [gateway.Sender] with it.
func (c *Client) Close() error {
	c.closeWith(errClosed)
	c.transport.CloseIdleConnections()
	return nil
}

// Do makes one call. Its error is [gateway.Unknown] when the request may have been handed over, and
// [gateway.Temporary], [gateway.SenderDown], or [gateway.Permanent] when it was not. An answer of any status is no error.
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
		// A connection that was kept open may have died unnoticed, which says nothing about the provider.
		if wasDead := x.end(); wasDead && ctx.Err() == nil && attempt <= c.o.Connections {
			continue
		}
		if c.closed.Err() != nil && !x.handedOver() {
			return nil, closed()
		}
		return nil, failed(ctx, x.handedOver(), err)
	}
}

// Call is [Client.Do] for answers that errorOf understands: it returns nil for one that is a success.
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
		return nil, errRequest // err quotes the address
	}
	if len(r.Body) > 0 {
		request.Body, request.ContentLength = x, int64(len(r.Body)) // without GetBody, so that the transport repeats nothing
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
	x.setMaxIdle(idleFrom(response.Header)) // before the body is read: after it the next request may get the connection
	body, whole := read(response.Body, c.o.MaxAnswer)
	return &Answer{Status: response.StatusCode, Header: response.Header, Body: body, Whole: whole}, nil
}

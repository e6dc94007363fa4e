package httpcall

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"net/http"
	"time"

	"griot/gateway"
)

// Options are what a Client is made of. A zero member takes its default.
type Options struct {
	Timeout     time.Duration  // of a call, from its start to the end of the answer; 30 s
	Connect     time.Duration  // of TCP and TLS together; 10 s
	Connections int            // that may be open at once to one host; 32
	MaxAnswer   int64          // bytes of an answer's body that are read; 1 MiB
	Authorities *x509.CertPool // nil: the system's
}

// Client calls a provider. It is safe for concurrent use.
type Client struct {
	o         Options
	transport *http.Transport
	life      context.Context // ends with Close
	end       context.CancelCauseFunc
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
	Whole  bool // false: Body was cut off by its size, the time or the connection
}

var errClosed = errors.New("the sender is closed")

// New returns a client. It contacts nothing yet.
func New(o Options) *Client {
	o.Timeout = cmp.Or(o.Timeout, 30*time.Second)
	o.Connect = cmp.Or(o.Connect, 10*time.Second)
	o.Connections = cmp.Or(o.Connections, 32)
	o.MaxAnswer = cmp.Or(o.MaxAnswer, 1<<20)
	c := &Client{o: o}
	c.life, c.end = context.WithCancelCause(context.Background())
	c.transport = &http.Transport{
		DialContext:            c.dial,
		DialTLSContext:         c.dialTLS, // our own, so that what is counted is the request and not TLS's records
		DisableCompression:     true,
		MaxConnsPerHost:        o.Connections,
		MaxIdleConnsPerHost:    o.Connections,
		IdleConnTimeout:        idleMost,
		MaxResponseHeaderBytes: 64 << 10,
	}
	return c
}

// Close ends the calls under way. It may be called twice, and returns nil: a driver's sender that embeds the client has
// its Close of [gateway.Sender] from it.
func (c *Client) Close() error {
	c.end(errClosed)
	c.transport.CloseIdleConnections()
	return nil
}

// Do makes one call. Its error is [gateway.Unknown] when the request may have been taken, and
// [gateway.Temporary] or [gateway.SenderDown] when it was not; any answer at all is no error.
func (c *Client) Do(ctx context.Context, r *Request) (*Answer, *gateway.Error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(c.life, func() { cancel(errClosed) })()
	ctx, stop := context.WithTimeout(ctx, c.o.Timeout)
	defer stop()
	for try := 0; ; try++ {
		if c.life.Err() != nil {
			return nil, closed()
		}
		if ctx.Err() != nil {
			return nil, interrupted(ctx)
		}
		t := &trip{body: r.Body, given: len(r.Body) == 0}
		answer, err := c.once(ctx, r, t)
		if err == nil {
			return answer, nil
		}
		// A kept connection may have died without a sign: that says nothing about the provider.
		if wasDead := t.end(); wasDead && ctx.Err() == nil && try <= c.o.Connections {
			continue
		}
		if c.life.Err() != nil && !t.handedOver() {
			return nil, closed()
		}
		return nil, failed(ctx, t.handedOver(), err)
	}
}

func (c *Client) once(ctx context.Context, r *Request, t *trip) (*Answer, error) {
	request, err := http.NewRequestWithContext(t.traced(ctx), r.Method, r.URL, nil)
	if err != nil {
		return nil, errRequest // err quotes the address
	}
	if len(r.Body) > 0 {
		request.Body, request.ContentLength = t, int64(len(r.Body)) // and no GetBody: the transport repeats nothing
	}
	for name, values := range r.Header {
		request.Header[name] = values
	}
	if request.Header.Get("User-Agent") == "" {
		request.Header.Set("User-Agent", "griot")
	}
	response, err := c.transport.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	t.keep(idleOf(response.Header)) // before the body's end, with which the next request may get the connection
	body, whole := read(response.Body, c.o.MaxAnswer)
	return &Answer{Status: response.StatusCode, Header: response.Header, Body: body, Whole: whole}, nil
}

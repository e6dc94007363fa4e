package httpcall

import (
	"context"
	"crypto/tls"
	"net"
	"sync"
	"time"
)

// conn is a connection that counts the bytes written to it.
type conn struct {
	net.Conn
	unregister func() bool // keeps the connection open when the client closes

	mu      sync.Mutex
	maxIdle time.Duration // maximum idle time after which the connection can still be used
	written int64
	writing bool // a Write has not returned
	aborted bool // every further Write fails
}

func (c *conn) Write(p []byte) (int, error) {
	c.mu.Lock()
	if c.aborted {
		c.mu.Unlock()
		return 0, net.ErrClosed
	}
	c.writing = true
	c.mu.Unlock()
	n, err := c.Conn.Write(p)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.written += int64(n)
	c.writing = false
	return n, err
}

func (c *conn) Close() error {
	c.unregister()
	return c.Conn.Close()
}

func (c *conn) setMaxIdle(idle time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.maxIdle = idle
}

func (c *conn) idleTooLong(idle time.Duration) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return idle >= c.maxIdle
}

func (c *conn) bytesWritten() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.written
}

// abort closes the connection and reports whether anything was written since start, or might be written now.
func (c *conn) abort(start int64) bool {
	c.mu.Lock()
	c.aborted = true
	written := c.writing || c.written > start
	c.mu.Unlock()
	_ = c.Close()
	return written
}

// dial connects. A call can end before its connection is established. The transport then keeps the connection for the
// next call. Closing the client always ends the dialing.
func (c *Client) dial(ctx context.Context, network, address string) (net.Conn, error) {
	return c.connect(ctx, network, address, func(_ context.Context, raw net.Conn) (net.Conn, error) { return raw, nil })
}

func (c *Client) dialTLS(ctx context.Context, network, address string) (net.Conn, error) {
	return c.connect(ctx, network, address, func(ctx context.Context, raw net.Conn) (net.Conn, error) {
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			return nil, err
		}
		encrypted := tls.Client(raw, &tls.Config{ServerName: host, RootCAs: c.o.Authorities, MinVersion: tls.VersionTLS12})
		if err := encrypted.HandshakeContext(ctx); err != nil {
			return nil, &tlsError{err}
		}
		return encrypted, nil
	})
}

func (c *Client) connect(ctx context.Context, network, address string, secure func(context.Context, net.Conn) (net.Conn, error)) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, c.o.Connect)
	defer cancel()
	defer context.AfterFunc(c.closed, cancel)()
	raw, err := new(net.Dialer).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	secured, err := secure(ctx, raw)
	if err != nil {
		_ = raw.Close()
		return nil, err
	}
	return &conn{Conn: secured, unregister: context.AfterFunc(c.closed, func() { _ = secured.Close() })}, nil
}

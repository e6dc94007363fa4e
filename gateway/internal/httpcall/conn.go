package httpcall

import (
	"context"
	"crypto/tls"
	"net"
	"sync"
	"time"
)

// conn is a connection that counts what is written to it.
type conn struct {
	net.Conn
	forget func() bool // ends its tie to the client's life

	mu      sync.Mutex
	idle    time.Duration // for how long it may be idle and still be used
	written int64
	writing bool // a Write has not come back
	dead    bool // no Write begins any more
}

func (c *conn) Write(p []byte) (int, error) {
	c.mu.Lock()
	if c.dead {
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
	c.forget()
	return c.Conn.Close()
}

// keep says for how long the connection may be idle and still be used.
func (c *conn) keep(idle time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.idle = idle
}

// isOld reports whether it was idle for longer than that.
func (c *conn) isOld(idle time.Duration) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return idle >= c.idle
}

func (c *conn) sofar() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.written
}

// cut closes the connection and reports whether anything has left since start, or may be leaving.
func (c *conn) cut(start int64) bool {
	c.mu.Lock()
	c.dead = true
	left := c.writing || c.written > start
	c.mu.Unlock()
	_ = c.Close()
	return left
}

// dial connects. The transport lets a call end before its connection is made, to keep
// the connection for the next call; what ends here in any case is the client's life.
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
	defer context.AfterFunc(c.life, cancel)()
	raw, err := new(net.Dialer).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	link, err := secure(ctx, raw)
	if err != nil {
		_ = raw.Close()
		return nil, err
	}
	return &conn{Conn: link, forget: context.AfterFunc(c.life, func() { _ = link.Close() })}, nil
}

package smtp

import (
	"context"
	"time"

	"github.com/wneessen/go-mail/smtp"

	"griot/gateway"
)

// conn is a connection to the relay that has said EHLO and AUTH. One goroutine uses it at a time.
type conn struct {
	client *smtp.Client
	raw    *bounded
	kept   bool      // it has been idle: the relay may have closed it
	since  time.Time // when it became idle
	dirty  bool      // a transaction was begun and not finished
	broken bool      // it can't be used again
}

// kill ends whatever the connection is waiting for.
func (c *conn) kill() { _ = c.raw.Close() }

// take returns the connection that was used last, or opens one.
func (s *sender) take(ctx context.Context) (*conn, *gateway.Error) {
	for {
		c := s.pop()
		if c == nil {
			return s.connect(ctx)
		}
		if s.now().Sub(c.since) < seconds(s.settings.IdleTimeout) {
			return c, nil
		}
		quit(c)
	}
}

func (s *sender) pop() *conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := len(s.idle) - 1
	if last < 0 {
		return nil
	}
	c := s.idle[last]
	s.idle = s.idle[:last]
	return c
}

// give keeps a connection for the next send.
func (s *sender) give(c *conn) {
	if c.broken {
		c.kill()
		return
	}
	c.since, c.kept = s.now(), true
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.life.Err() != nil {
		c.kill()
		return
	}
	s.idle = append(s.idle, c)
}

// quit takes leave of the relay, which has two seconds in all to answer (RFC 5321 §4.1.1.10).
func quit(conns ...*conn) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	for _, c := range conns {
		stop := context.AfterFunc(ctx, c.kill)
		c.raw.command()
		_ = c.client.Quit()
		stop()
		c.kill()
	}
}

func seconds(n int) time.Duration { return time.Duration(n) * time.Second }

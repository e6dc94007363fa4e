package smtp

import (
	"context"
	"time"

	"github.com/wneessen/go-mail/smtp"

	"example.com/griot/gateway"
	"example.com/griot/gateway/internal/setting"
)

// conn is a connection to the relay after EHLO and AUTH. Only one goroutine uses it at a time.
type conn struct {
	client        *smtp.Client
	raw           *limitedConn
	reused        bool      // it has been idle, so the relay might have closed it
	idleSince     time.Time // time of the last put
	inTransaction bool      // a transaction has started and is not finished
	broken        bool      // it cannot be used again
}

// close closes the connection immediately.
func (c *conn) close() { _ = c.raw.Close() }

// get returns the most recently used idle connection, or opens one.
func (s *sender) get(ctx context.Context) (*conn, *gateway.Error) {
	for {
		c := s.popIdle()
		if c == nil {
			return s.connect(ctx)
		}
		if s.now().Sub(c.idleSince) < setting.Seconds(s.settings.IdleTimeout) {
			return c, nil
		}
		quit(c)
	}
}

func (s *sender) popIdle() *conn {
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

// put keeps a connection for the next Send.
func (s *sender) put(c *conn) {
	if c.broken {
		c.close()
		return
	}
	c.idleSince, c.reused = s.now(), true
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lifetime.Err() != nil {
		c.close()
		return
	}
	s.idle = append(s.idle, c)
}

// quit closes connections with QUIT (RFC 5321 §4.1.1.10) and waits two seconds in total for the replies.
func quit(conns ...*conn) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	for _, c := range conns {
		stop := context.AfterFunc(ctx, c.close)
		c.raw.startCommand()
		_ = c.client.Quit()
		stop()
		c.close()
	}
}

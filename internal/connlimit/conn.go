package connlimit

import (
	"bytes"
	"container/list"
	"net"
	"sync/atomic"
)

// state is the activity of a connection.
type state int32

const (
	closed     state = iota // no longer counted
	unfinished              // a handshake or a header is incomplete, or no byte has arrived yet
	idle                    // between two requests
	active                  // its requests are being served
)

// conn is a counted connection. Its fields from state on are guarded by the limiter's mutex. state is also read without
// it.
type conn struct {
	net.Conn
	of  *Limiter
	key string   // counter key of its address; "" if it is not counted
	at  *address // nil if key is ""

	state    atomic.Int32
	received int64            // its part of the limiter's received
	in       [2]*list.Element // its elements in the limiter's and in its address's queue
}

// Read counts the bytes that an unfinished handshake or header receives. An idle connection that receives bytes is
// unfinished again.
func (c *conn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if s := state(c.state.Load()); n > 0 && (s == unfinished || s == idle) && !c.count(b[:n]) {
		return 0, net.ErrClosed
	}
	return n, err
}

// count reports false if the received bytes caused the connection to be closed.
func (c *conn) count(received []byte) bool {
	weight := int64(len(received) + lineBytes*bytes.Count(received, []byte{'\n'}))
	l := c.of
	l.mu.Lock()
	if state(c.state.Load()) == idle {
		c.move(unfinished)
	}
	var victims []*conn
	if state(c.state.Load()) == unfinished {
		c.received += weight
		l.received += weight
		for l.received > unfinishedBytes {
			oldest := front(&l.waiting.unfinished)
			victims = append(victims, oldest)
			oldest.forget()
		}
	}
	stays := state(c.state.Load()) != closed
	l.mu.Unlock()
	l.closeAll(victims)
	return stays
}

// set moves an open connection to another state.
func (c *conn) set(to state) {
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	if state(c.state.Load()) != closed {
		c.move(to)
	}
}

// move changes the state of a connection. The caller must hold the limiter's mutex.
func (c *conn) move(to state) {
	l := c.of
	if q := c.queues(state(c.state.Load())); q != nil {
		for i, in := range c.in {
			if in != nil {
				q[i].Remove(in)
				c.in[i] = nil
			}
		}
	}
	l.received -= c.received
	c.received = 0
	if q := c.queues(to); q != nil {
		c.in[0] = q[0].PushBack(c)
		if c.at != nil {
			c.in[1] = q[1].PushBack(c)
		}
	}
	c.state.Store(int32(to))
}

// queues returns the limiter's and the address's queue of a state; nil if the state has none.
func (c *conn) queues(of state) *[2]*list.List {
	if of != unfinished && of != idle {
		return nil
	}
	var both [2]*list.List
	for i, q := range []*queues{&c.of.waiting, c.waiting()} {
		if q == nil {
			continue
		}
		both[i] = &q.idle
		if of == unfinished {
			both[i] = &q.unfinished
		}
	}
	return &both
}

func (c *conn) waiting() *queues {
	if c.at == nil {
		return nil
	}
	return &c.at.waiting
}

// forget stops counting a connection. The caller must hold the limiter's mutex.
func (c *conn) forget() {
	if state(c.state.Load()) == closed {
		return
	}
	c.move(closed)
	c.of.total--
	c.of.leave(c.key, c.at)
}

// Close closes the connection and stops counting it.
func (c *conn) Close() error {
	c.of.mu.Lock()
	c.forget()
	c.of.mu.Unlock()
	return c.Conn.Close()
}

// CloseWrite closes the sending side, so that a peer that is still sending reads the response before the connection is
// closed.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return net.ErrClosed
}

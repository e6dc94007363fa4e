package peertest

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"
)

func (p *Peer) state() (mode string, release, reached chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.mode, p.release, p.reached
}

func (p *Peer) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	mode, release, reached := p.state()
	connection := mode == DropAfter || mode == HangAfter || mode == Garbage
	asked := mode
	if connection {
		asked = Accept
	}
	reply := p.handler(asked, r, body)
	if reply.Taken != nil {
		p.mu.Lock()
		p.received = append(p.received, *reply.Taken)
		p.mu.Unlock()
	}
	if connection && reply.Taken != nil { // earlier requests, such as an upload, succeed
		p.endExchange(w, r, mode, release, reached)
		return
	}
	for name, value := range reply.Header {
		w.Header().Set(name, value)
	}
	w.WriteHeader(reply.Status)
	_, _ = io.WriteString(w, reply.Body)
	if reply.Callback != nil {
		p.CallDriver(reply.Callback)
	}
}

// endExchange ends an exchange without a valid response.
func (p *Peer) endExchange(w http.ResponseWriter, r *http.Request, mode string, release, reached chan struct{}) {
	if mode == HangAfter {
		signal(reached)
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}
	c, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	if mode == Garbage {
		_, _ = io.WriteString(c, "baobab\r\nbaobab\r\n\r\n")
	}
	_ = c.Close()
}

// CallDriver repeats a webhook call to the driver in the background until the response is 2xx.
func (p *Peer) CallDriver(call func() *http.Request) {
	p.work.Go(func() {
		for {
			p.mu.Lock()
			driver := p.driver
			p.mu.Unlock()
			if driver == nil {
				return
			}
			w := httptest.NewRecorder()
			driver.ServeHTTP(w, call())
			if w.Code/100 == 2 {
				return
			}
			select {
			case <-time.After(time.Millisecond):
			case <-p.done:
				return
			}
		}
	})
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// listener accepts connections in the peer's mode.
type listener struct {
	net.Listener
	peer *Peer
}

func (l *listener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		mode, release, reached := l.peer.state()
		switch mode {
		case DropBefore:
			_ = c.Close()
		case HangBefore:
			return &hangingConn{Conn: c, release: release, reached: reached, closed: make(chan struct{})}, nil
		default:
			return c, nil
		}
	}
}

// hangingConn is a connection that is not read until it is released.
type hangingConn struct {
	net.Conn
	release, reached, closed chan struct{}
	once                     sync.Once
}

func (d *hangingConn) Read(b []byte) (int, error) {
	signal(d.reached)
	select {
	case <-d.release:
	case <-d.closed:
	}
	return d.Conn.Read(b)
}

func (d *hangingConn) Close() error {
	d.once.Do(func() { close(d.closed) })
	return d.Conn.Close()
}

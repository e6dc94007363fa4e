package peertest

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"
)

func (p *Peer) now() (mode string, release, reached chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.mode, p.release, p.reached
}

func (p *Peer) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	mode, release, reached := p.now()
	connection := mode == DropAfter || mode == HangAfter || mode == Garbage
	asked := mode
	if connection {
		asked = Accept
	}
	reply := p.provider(asked, r, body)
	if reply.Taken != nil {
		p.mu.Lock()
		p.got = append(p.got, *reply.Taken)
		p.mu.Unlock()
	}
	if connection && reply.Taken != nil { // what a message needs beforehand, such as an upload, goes well
		p.fail(w, r, mode, release, reached)
		return
	}
	for name, value := range reply.Header {
		w.Header().Set(name, value)
	}
	w.WriteHeader(reply.Status)
	_, _ = io.WriteString(w, reply.Body)
	if reply.Then != nil {
		p.Bring(reply.Then)
	}
}

// fail ends an exchange without an answer.
func (p *Peer) fail(w http.ResponseWriter, r *http.Request, mode string, release, reached chan struct{}) {
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

// Bring makes a call of the provider's to the driver until it is answered with 2xx, beside what else goes on.
func (p *Peer) Bring(call func() *http.Request) {
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

// listener takes connections as the peer is told to.
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
		mode, release, reached := l.peer.now()
		switch mode {
		case DropBefore:
			_ = c.Close()
		case HangBefore:
			return &deaf{Conn: c, release: release, reached: reached, closed: make(chan struct{})}, nil
		default:
			return c, nil
		}
	}
}

// deaf is a connection that nobody reads from until it is released.
type deaf struct {
	net.Conn
	release, reached, closed chan struct{}
	once                     sync.Once
}

func (d *deaf) Read(b []byte) (int, error) {
	signal(d.reached)
	select {
	case <-d.release:
	case <-d.closed:
	}
	return d.Conn.Read(b)
}

func (d *deaf) Close() error {
	d.once.Do(func() { close(d.closed) })
	return d.Conn.Close()
}

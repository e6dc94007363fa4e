package smpptest

import (
	"context"
	"crypto/tls"
	"net"
	"strconv"
	"sync"
	"testing"
	"time"

	"griot/gateway/smpp/pdu"
	"griot/internal/sms"
)

// The login of every center.
const (
	SystemID = "griot-esme"
	Password = "kora21cd"
)

// Options say what a center is like. The zero value is a plain one.
type Options struct {
	TLS     *tls.Certificate
	Forget  bool                          // don't keep what was submitted: for measurements
	ID      func(n int) string            // of the nth submit_sm, from 1; default the number
	Receipt func(s Submit) []*pdu.Message // of a submit_sm that was taken and asks for one; default [Delivered]
}

// Submit is a submit_sm as it came in.
type Submit struct {
	N  int
	ID string
	pdu.Message
}

// Text returns the text without its header, decoded.
func (s Submit) Text() string {
	b := s.Message.Text()
	if s.ESMClass&pdu.ESMHeader != 0 && len(b) > 0 && int(b[0]) < len(b) {
		b = b[1+int(b[0]):]
	}
	switch s.DataCoding {
	case 8:
		return sms.UTF16(b)
	case 3:
		text := ""
		for _, c := range b {
			text += string(rune(c))
		}
		return text
	}
	return sms.GSM(b)
}

// Reply is what a center does with a submit_sm. The zero value takes it.
type Reply struct {
	Status pdu.Status
	Drop   bool            // hang up instead of answering
	Silent bool            // don't answer
	After  <-chan struct{} // answer once this is closed
}

// SMSC is a message center. It is safe for concurrent use.
type SMSC struct {
	o        Options
	listener net.Listener
	ctx      context.Context
	end      context.CancelFunc
	work     sync.WaitGroup

	mu      sync.Mutex
	changed chan struct{}
	bind    func() Bind
	reply   func(s Submit) Reply
	links   map[*link]bool
	bound   *link // the latest
	binds   int
	counted int
	submits []Submit
}

// Bind is what a center does with a bind. The zero value accepts it, if the login is right.
type Bind struct {
	Status pdu.Status
	Drop   bool
	After  <-chan struct{}
}

// Start starts a center, which ends with the test.
func Start(t testing.TB, o Options) *SMSC {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if o.ID == nil {
		o.ID = strconv.Itoa
	}
	if o.Receipt == nil {
		o.Receipt = func(s Submit) []*pdu.Message { return []*pdu.Message{Delivered(s)} }
	}
	s := &SMSC{o: o, listener: listener, changed: make(chan struct{}), links: map[*link]bool{}}
	s.ctx, s.end = context.WithCancel(context.Background())
	if o.TLS != nil {
		s.listener = tls.NewListener(listener, &tls.Config{Certificates: []tls.Certificate{*o.TLS}})
	}
	s.work.Go(s.accept)
	t.Cleanup(func() {
		s.end()
		_ = s.listener.Close()
		s.HangUp()
		s.work.Wait()
	})
	return s
}

func (s *SMSC) accept() {
	for {
		c, err := s.listener.Accept()
		if err != nil {
			return
		}
		l := newLink(s, c)
		s.change(func() { s.links[l] = true })
		s.work.Go(func() {
			l.serve()
			s.change(func() {
				delete(s.links, l)
				if s.bound == l {
					s.bound = nil
				}
			})
		})
		if s.ctx.Err() != nil {
			l.close()
		}
	}
}

// Port returns where the center listens.
func (s *SMSC) Port() int { return s.listener.Addr().(*net.TCPAddr).Port }

// Replies sets what is done with each submit_sm from now on; nil takes it.
func (s *SMSC) Replies(f func(s Submit) Reply) { s.change(func() { s.reply = f }) }

// Binds sets what is done with each bind from now on; nil accepts it.
func (s *SMSC) Binds(f func() Bind) { s.change(func() { s.bind = f }) }

// HangUp closes all connections.
func (s *SMSC) HangUp() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for l := range s.links {
		l.close()
	}
}

// Submits returns what has been submitted and not refused, in order.
func (s *SMSC) Submits() []Submit {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Submit(nil), s.submits...)
}

// Attempts returns how many binds there have been.
func (s *SMSC) Attempts() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.binds
}

// WaitFor waits until done reports true, which is asked at once and after each change.
func (s *SMSC) WaitFor(ctx context.Context, done func() bool) error {
	for {
		s.mu.Lock()
		changed := s.changed
		s.mu.Unlock()
		if done() {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (s *SMSC) change(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
	close(s.changed)
	s.changed = make(chan struct{})
}

// Deliver brings a message until it is taken, on whichever connection is bound then.
// It returns each status that it is answered with, the last of which is OK; the channel is closed at the end.
func (s *SMSC) Deliver(m *pdu.Message) <-chan pdu.Status {
	answers := make(chan pdu.Status, 100)
	body, err := m.Body()
	if err != nil {
		panic(err)
	}
	s.work.Go(func() {
		defer close(answers)
		for s.ctx.Err() == nil {
			status, ok := s.bring(body)
			if !ok {
				status = pdu.UnknownError
			}
			select {
			case answers <- status:
			default:
			}
			if status == pdu.OK {
				return
			}
			select {
			case <-time.After(5 * time.Millisecond):
			case <-s.ctx.Done():
			}
		}
	})
	return answers
}

// bring makes one attempt on the connection that is bound, once there is one.
func (s *SMSC) bring(body []byte) (pdu.Status, bool) {
	var l *link
	err := s.WaitFor(s.ctx, func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		l = s.bound
		return l != nil
	})
	if err != nil {
		return 0, false
	}
	return l.deliver(body)
}

package smpptest

import (
	"context"
	"crypto/tls"
	"net"
	"strconv"
	"sync"
	"testing"
	"time"

	"example.com/griot/gateway/smpp/pdu"
	"example.com/griot/internal/sms"
)

// The credentials that every center accepts.
const (
	SystemID = "griot-esme"
	Password = "kora21cd"
)

// Options configure a center.
type Options struct {
	TLS            *tls.Certificate
	DiscardSubmits bool                          // do not record submitted messages, for benchmarks
	ID             func(n int) string            // returns the ID of the nth submit_sm, from 1; default: the number
	Receipt        func(s Submit) []*pdu.Message // returns the receipts of an accepted submit_sm that requests one; default [Delivered]
}

// Submit is a received submit_sm.
type Submit struct {
	N  int
	ID string
	pdu.Message
}

// Text returns the decoded text without its header.
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

// Reply is a center's reaction to a submit_sm. The zero value accepts it.
type Reply struct {
	Status pdu.Status
	Drop   bool            // close the connection instead of responding
	Silent bool            // do not respond
	After  <-chan struct{} // respond once this is closed
}

// SMSC is a message center. It is safe for concurrent use.
type SMSC struct {
	options  Options
	listener net.Listener
	ctx      context.Context
	end      context.CancelFunc
	work     sync.WaitGroup

	mu          sync.Mutex
	changed     chan struct{}
	bind        func() BindReply
	reply       func(s Submit) Reply
	links       map[*link]bool
	bound       *link // the latest bound link
	binds       int
	submitCount int
	submits     []Submit
}

// BindReply is a center's reaction to a bind. The zero value accepts it if the credentials are correct.
type BindReply struct {
	Status pdu.Status
	Drop   bool
	After  <-chan struct{}
}

// Start starts a center, which stops with the test.
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
	s := &SMSC{options: o, listener: listener, changed: make(chan struct{}), links: map[*link]bool{}}
	s.ctx, s.end = context.WithCancel(context.Background())
	if o.TLS != nil {
		s.listener = tls.NewListener(listener, &tls.Config{Certificates: []tls.Certificate{*o.TLS}})
	}
	s.work.Go(s.accept)
	t.Cleanup(func() {
		s.end()
		_ = s.listener.Close()
		s.CloseConnections()
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
		s.update(func() { s.links[l] = true })
		s.work.Go(func() {
			l.serve()
			s.update(func() {
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

// Port returns the port that the center listens on.
func (s *SMSC) Port() int { return s.listener.Addr().(*net.TCPAddr).Port }

// OnSubmit sets the reply to each later submit_sm. nil accepts it.
func (s *SMSC) OnSubmit(f func(s Submit) Reply) { s.update(func() { s.reply = f }) }

// OnBind sets the reply to each later bind. nil accepts it.
func (s *SMSC) OnBind(f func() BindReply) { s.update(func() { s.bind = f }) }

// CloseConnections closes all connections.
func (s *SMSC) CloseConnections() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for l := range s.links {
		l.close()
	}
}

// Submits returns the submit_sm that were not refused, in order.
func (s *SMSC) Submits() []Submit {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Submit(nil), s.submits...)
}

// BindCount returns the number of binds.
func (s *SMSC) BindCount() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.binds
}

// WaitFor waits until done reports true. It calls done immediately and after each change.
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

func (s *SMSC) update(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
	close(s.changed)
	s.changed = make(chan struct{})
}

// Deliver sends a deliver_sm on the bound connection until it is accepted. The channel receives the status of each
// response, or UnknownError if there was none. It is closed after OK.
func (s *SMSC) Deliver(m *pdu.Message) <-chan pdu.Status {
	body, err := m.Body()
	if err != nil {
		panic(err)
	}
	return s.DeliverBody(pdu.DeliverSM, body)
}

// DeliverBody is like Deliver for any body of a deliver_sm or data_sm, which can be invalid.
func (s *SMSC) DeliverBody(command pdu.Command, body []byte) <-chan pdu.Status {
	answers := make(chan pdu.Status, 100)
	s.work.Go(func() {
		defer close(answers)
		for s.ctx.Err() == nil {
			status, ok := s.deliverOnce(command, body)
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

// deliverOnce sends a delivery once, when a connection is bound.
func (s *SMSC) deliverOnce(command pdu.Command, body []byte) (status pdu.Status, ok bool) {
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
	return l.deliver(command, body)
}

package smpptest

import (
	"bufio"
	"net"
	"sync"

	"example.com/griot/gateway/smpp/pdu"
)

// link is one connection of a center.
type link struct {
	s    *SMSC
	conn net.Conn
	r    *bufio.Reader
	done chan struct{}

	mu       sync.Mutex
	w        *bufio.Writer
	closed   bool
	sequence uint32
	waiting  map[uint32]chan pdu.Status
}

func newLink(s *SMSC, c net.Conn) *link {
	return &link{s: s, conn: c, r: bufio.NewReader(c), w: bufio.NewWriter(c), done: make(chan struct{}), waiting: map[uint32]chan pdu.Status{}}
}

func (l *link) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		l.closed = true
		close(l.done)
		_ = l.conn.Close()
	}
}

// write writes a unit. Without flush, it is sent when the read buffer is empty.
func (l *link) write(p pdu.PDU, flush bool) {
	b, err := p.Append(nil)
	if err != nil {
		panic(err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	_, _ = l.w.Write(b)
	if flush {
		_ = l.w.Flush()
	}
}

func (l *link) flush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	_ = l.w.Flush()
}

func (l *link) respond(p pdu.PDU, status pdu.Status, body []byte) {
	l.write(pdu.PDU{Command: p.Command.Response(), Status: status, Sequence: p.Sequence, Body: body}, false)
}

func (l *link) serve() {
	defer l.close()
	for {
		p, err := pdu.Read(l.r)
		more := err == nil && l.handle(p)
		if !more || l.r.Buffered() == 0 {
			l.flush()
		}
		if !more {
			return
		}
	}
}

func (l *link) handle(p pdu.PDU) bool {
	switch p.Command {
	case pdu.BindTransceiver, pdu.BindReceiver, pdu.BindTransmitter:
		return l.bind(p)
	case pdu.SubmitSM:
		return l.submit(p)
	case pdu.EnquireLink:
		l.respond(p, pdu.OK, nil)
	case pdu.Unbind:
		l.respond(p, pdu.OK, nil)
		return false
	case pdu.DeliverSM.Response(), pdu.DataSM.Response(), pdu.GenericNack:
		l.mu.Lock()
		answer := l.waiting[p.Sequence]
		delete(l.waiting, p.Sequence)
		l.mu.Unlock()
		if answer != nil {
			answer <- p.Status
		}
	default:
		l.write(pdu.PDU{Command: pdu.GenericNack, Status: pdu.InvalidCommandID, Sequence: p.Sequence}, true)
	}
	return true
}

func (l *link) bind(p pdu.PDU) bool {
	var reply BindReply
	var script func() BindReply
	l.s.update(func() {
		l.s.binds++
		script = l.s.bind
	})
	if script != nil {
		reply = script()
	}
	if reply.After != nil {
		select {
		case <-reply.After:
		case <-l.done:
			return false
		}
	}
	b, err := pdu.ParseBind(p.Body)
	switch {
	case reply.Drop:
		return false
	case reply.Status != pdu.OK:
		l.respond(p, reply.Status, nil)
		return true
	case err != nil || b.SystemID != SystemID || b.Password != Password:
		l.respond(p, pdu.InvalidPassword, nil)
		return true
	}
	body, err := pdu.BindResponse{SystemID: "center"}.Body()
	if err != nil {
		panic(err)
	}
	l.respond(p, pdu.OK, body)
	if p.Command != pdu.BindTransmitter {
		l.s.update(func() { l.s.bound = l })
	}
	return true
}

func (l *link) submit(p pdu.PDU) bool {
	m, err := pdu.ParseMessage(p.Body)
	if err != nil {
		l.respond(p, pdu.InvalidCommandLen, nil)
		return true
	}
	s := l.s
	in := Submit{Message: m}
	s.mu.Lock()
	s.submitCount++
	in.N, in.ID = s.submitCount, s.options.ID(s.submitCount)
	script := s.reply
	s.mu.Unlock()
	var reply Reply
	if script != nil {
		reply = script(in)
	}
	if reply.Status != pdu.OK {
		l.respond(p, reply.Status, nil)
		return true
	}
	if !s.options.DiscardSubmits {
		s.update(func() { s.submits = append(s.submits, in) })
	}
	body, err := pdu.MessageResponse{MessageID: in.ID}.Body()
	if err != nil {
		panic(err)
	}
	switch {
	case reply.Drop:
		return false
	case reply.After != nil:
		s.work.Go(func() {
			select {
			case <-reply.After:
				l.write(pdu.PDU{Command: p.Command.Response(), Sequence: p.Sequence, Body: body}, true)
			case <-l.done:
			}
		})
		return true
	case reply.Silent:
		return true
	}
	l.respond(p, pdu.OK, body)
	if m.RegisteredDelivery&1 != 0 {
		for _, receipt := range s.options.Receipt(in) {
			s.Deliver(receipt)
		}
	}
	return true
}

// deliver sends one deliver_sm or data_sm and waits for its response. ok is false if the link closes first.
func (l *link) deliver(command pdu.Command, body []byte) (status pdu.Status, ok bool) {
	answer := make(chan pdu.Status, 1)
	l.mu.Lock()
	l.sequence++
	sequence := l.sequence
	l.waiting[sequence] = answer
	l.mu.Unlock()
	l.write(pdu.PDU{Command: command, Sequence: sequence, Body: body}, true)
	select {
	case status := <-answer:
		return status, true
	case <-l.done:
		return 0, false
	}
}

package smpp

import (
	"time"

	"griot/gateway/smpp/pdu"
)

// listen reads what the center sends, until the link ends.
func (l *link) listen() {
	for {
		p, err := pdu.Read(l.r)
		if err != nil {
			l.kill(err)
			return
		}
		l.doubt.Store(false)
		if err := l.handle(p); err != nil {
			l.kill(err)
			return
		}
	}
}

func (l *link) handle(p pdu.PDU) error {
	l.visit.heard.Store(l.s.now().UnixMilli())
	switch {
	case p.Command.IsResponse():
		return l.answered(p)
	case p.Command == pdu.EnquireLink:
		return l.respond(p, pdu.OK)
	case p.Command == pdu.Unbind:
		_ = l.respond(p, pdu.OK)
		return errUnbound
	case p.Command == pdu.DeliverSM:
		if refusal := l.s.arrivals.queue(l, p); refusal != pdu.OK {
			return l.respond(p, refusal)
		}
		return nil
	case p.Command == pdu.AlertNotification: // has no response
		return nil
	}
	return l.write(pdu.PDU{Command: pdu.GenericNack, Status: pdu.InvalidCommandID, Sequence: p.Sequence})
}

// respond answers a request of the center's.
func (l *link) respond(p pdu.PDU, status pdu.Status) error {
	r := pdu.PDU{Command: p.Command.Response(), Status: status, Sequence: p.Sequence}
	if p.Command == pdu.DeliverSM {
		r.Body = []byte{0} // message_id, which is unused there
	}
	return l.write(r)
}

// answered finds the request of a response. The id of a message that was taken is
// in the book before its Send goes on, and before what follows on the wire is read.
func (l *link) answered(p pdu.PDU) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	q := l.waiting[p.Sequence]
	switch {
	case q == nil && p.Command == pdu.GenericNack:
		return errProtocol // it doesn't understand us, and we don't know what
	case q == nil:
		return nil // an answer nobody expects any more
	case p.Command != q.command.Response() && p.Command != pdu.GenericNack:
		return errProtocol
	}
	delete(l.waiting, p.Sequence)
	if q.left {
		l.overdue--
	}
	q.status = p.Status
	if p.Command == pdu.GenericNack && p.Status == pdu.OK {
		q.status = pdu.UnknownError
	}
	if q.command == pdu.SubmitSM && q.status == pdu.OK {
		// A body that can't be read has no id; the message is taken all the same.
		if r, err := pdu.ParseMessageResponse(p.Body); err == nil {
			q.id = l.s.settings.ackID(r.MessageID)
			l.s.book.add(q.id, q.parcel)
		}
	}
	l.useful.Store(true)
	close(q.done)
	return nil
}

// enquire asks the center regularly whether it is there, until the link ends.
func (l *link) enquire() {
	tick := time.NewTicker(seconds(l.s.settings.EnquireInterval))
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-l.check:
		case <-l.dead:
			return
		}
		q, err := l.ask(pdu.EnquireLink, nil, parcel{})
		if err != nil {
			l.kill(err)
			return
		}
		if !l.wait(q, l.s.settings.responseTimeout()) {
			l.kill(errSilent)
			return
		}
	}
}

// wait reports whether a request is answered in time.
func (l *link) wait(q *request, within time.Duration) bool {
	patience := time.NewTimer(within)
	defer patience.Stop()
	select {
	case <-q.done:
		return true
	case <-patience.C:
		return false
	case <-l.dead:
		return false
	}
}

// settle waits, not for long, until what is submitted now is answered: a receipt may overtake the answer that explains it.
func (l *link) settle() {
	l.mu.Lock()
	var open []*request
	for _, q := range l.waiting {
		if q.command == pdu.SubmitSM && !q.left {
			open = append(open, q)
		}
	}
	l.mu.Unlock()
	patience := time.NewTimer(overtaking)
	defer patience.Stop()
	for _, q := range open {
		select {
		case <-q.done:
		case <-patience.C:
			return
		case <-l.dead:
			return
		}
	}
}

// overtaking is how long a receipt waits for an answer that it may have overtaken.
const overtaking = 2 * time.Second

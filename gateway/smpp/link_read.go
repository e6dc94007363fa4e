package smpp

import (
	"time"

	"example.com/griot/gateway/internal/setting"
	"example.com/griot/gateway/smpp/pdu"
)

// readLoop handles the center's units until the link closes.
func (l *link) readLoop() {
	for {
		p, err := pdu.Read(l.r)
		if err != nil {
			l.close(err)
			return
		}
		l.unanswered.Store(false)
		if err := l.handle(p); err != nil {
			l.close(err)
			return
		}
	}
}

func (l *link) handle(p pdu.PDU) error {
	l.history.lastReceived.Store(l.s.now().UnixMilli())
	switch {
	case p.Command.IsResponse():
		return l.handleResponse(p)
	case p.Command == pdu.EnquireLink:
		return l.respond(p, pdu.OK)
	case p.Command == pdu.Unbind:
		_ = l.respond(p, pdu.OK)
		return errUnbound
	case p.Command == pdu.DeliverSM, p.Command == pdu.DataSM:
		if refusal := l.s.inbound.enqueue(l, p); refusal != pdu.OK {
			return l.respond(p, refusal)
		}
		return nil
	case p.Command == pdu.AlertNotification: // has no response
		return nil
	}
	return l.write(pdu.PDU{Command: pdu.GenericNack, Status: pdu.InvalidCommandID, Sequence: p.Sequence})
}

// respond responds to a request of the center.
func (l *link) respond(p pdu.PDU, status pdu.Status) error {
	r := pdu.PDU{Command: p.Command.Response(), Status: status, Sequence: p.Sequence}
	if p.Command == pdu.DeliverSM || p.Command == pdu.DataSM {
		r.Body = []byte{0} // message_id, which is unused in these responses
	}
	return l.write(r)
}

// handleResponse completes the request that a response belongs to. It stores the ID of an accepted message before its
// Send returns and before the next unit is read, because that unit might be its receipt.
func (l *link) handleResponse(p pdu.PDU) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	q := l.pending[p.Sequence]
	switch {
	case q == nil && p.Command == pdu.GenericNack:
		return errProtocol // it refuses a unit without naming it
	case q == nil:
		return nil // a response to a request that is no longer known
	case p.Command != q.command.Response() && p.Command != pdu.GenericNack:
		return errProtocol
	}
	delete(l.pending, p.Sequence)
	if q.unawaited {
		l.unawaited--
	}
	q.status = p.Status
	if p.Command == pdu.GenericNack && p.Status == pdu.OK {
		q.status = pdu.UnknownError
	}
	if q.command == pdu.SubmitSM && q.status == pdu.OK {
		// A message is accepted even if the body cannot be parsed. It then has no ID.
		if r, err := pdu.ParseMessageResponse(p.Body); err == nil {
			q.id = l.s.settings.ackID(r.MessageID)
			l.s.ids.add(q.id, q.message)
		}
	}
	l.answered.Store(true)
	close(q.done)
	return nil
}

// enquireLoop sends enquire_link regularly and closes the link if there is no response in time.
func (l *link) enquireLoop() {
	tick := time.NewTicker(setting.Seconds(l.s.settings.EnquireInterval))
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-l.enquireNow:
		case <-l.closed:
			return
		}
		q, err := l.send(pdu.EnquireLink, nil, outgoing{})
		if err != nil {
			l.close(err)
			return
		}
		if !l.wait(q, l.s.settings.responseTimeout()) {
			l.close(errSilent)
			return
		}
	}
}

// wait reports whether a request gets a response within a duration.
func (l *link) wait(q *request, within time.Duration) bool {
	timer := time.NewTimer(within)
	defer timer.Stop()
	select {
	case <-q.done:
		return true
	case <-timer.C:
		return false
	case <-l.closed:
		return false
	}
}

// waitForSubmits waits up to earlyReceiptWait for the responses to pending submit_sm, because a receipt might arrive
// before the response with its ID.
func (l *link) waitForSubmits() {
	l.mu.Lock()
	var open []*request
	for _, q := range l.pending {
		if q.command == pdu.SubmitSM && !q.unawaited {
			open = append(open, q)
		}
	}
	l.mu.Unlock()
	timeout := time.NewTimer(earlyReceiptWait)
	defer timeout.Stop()
	for _, q := range open {
		select {
		case <-q.done:
		case <-timeout.C:
			return
		case <-l.closed:
			return
		}
	}
}

// earlyReceiptWait is the maximum time for which a receipt with an unknown ID waits for pending responses.
const earlyReceiptWait = 2 * time.Second

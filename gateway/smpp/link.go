package smpp

import (
	"bufio"
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/smpp/pdu"
)

// link is a bound connection.
type link struct {
	s          *sender
	conn       net.Conn
	r          *bufio.Reader
	writing    chan struct{} // semaphore for one writer
	writeTimer *time.Timer   // closes the link when a write takes too long
	window     chan struct{} // semaphore for the submit_sm without a response
	enquireNow chan struct{} // makes enquireLoop send an enquire_link immediately
	unanswered atomic.Bool   // a submit_sm timed out, and nothing has been received since
	answered   atomic.Bool   // the center has responded to a request other than the bind
	history    *linkHistory

	mu        sync.Mutex
	sequence  uint32
	pending   map[uint32]*request
	unawaited int // number of unawaited requests in pending
	cause     error
	closed    chan struct{}
}

// request is a unit of ours that gets a response.
type request struct {
	command   pdu.Command
	message   outgoing      // of submit_sm
	done      chan struct{} // closed when the response has arrived
	status    pdu.Status
	id        string // of an accepted submit_sm
	unawaited bool   // no goroutine waits for the response anymore
}

var (
	errSilent     = errors.New("the center doesn't answer")
	errNotReading = errors.New("the center doesn't read")
	errUnbound    = errors.New("the center has unbound")
	errProtocol   = errors.New("the center violates the protocol")
	errUnbinding  = errors.New("unbound")
)

// maxUnawaited is the maximum number of requests that are kept for late responses.
const maxUnawaited = 1000

func (s *sender) newLink(conn net.Conn) *link {
	l := &link{
		s: s, conn: conn, r: bufio.NewReader(conn),
		writing: make(chan struct{}, 1), window: make(chan struct{}, s.settings.Window), enquireNow: make(chan struct{}, 1),
		pending: map[uint32]*request{}, history: &linkHistory{}, closed: make(chan struct{}),
	}
	l.writeTimer = time.AfterFunc(time.Hour, func() { l.close(errNotReading) })
	l.writeTimer.Stop()
	return l
}

// close closes the link. Only the first cause is recorded.
func (l *link) close(cause error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cause != nil {
		return
	}
	l.cause = cause
	close(l.closed)
	l.history.ended.Store(true)
	l.writeTimer.Stop()
	_ = l.conn.Close()
}

func (l *link) alive() bool {
	select {
	case <-l.closed:
		return false
	default:
		return true
	}
}

func (l *link) closeCause() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.cause
}

// submit sends a submit_sm and waits for its response.
func (l *link) submit(ctx context.Context, p outgoing, body []byte) (id string, failure *gateway.Error) {
	select {
	case l.window <- struct{}{}:
		defer func() { <-l.window }()
	case <-l.closed:
		return "", l.lostError()
	case <-ctx.Done():
		return "", l.s.interrupted(ctx)
	case <-l.s.lifetime.Done():
		return "", l.s.interrupted(ctx)
	}
	if failure := l.s.interrupted(ctx); failure != nil {
		return "", failure
	}
	q, err := l.send(pdu.SubmitSM, body, p)
	if err != nil {
		return "", l.lostError()
	}
	timeout := time.NewTimer(l.s.settings.responseTimeout())
	defer timeout.Stop()
	var failed error
	select {
	case <-q.done:
	case <-l.closed:
		failed = l.closeCause()
	case <-ctx.Done():
		failed = ctx.Err()
	case <-timeout.C:
		failed = errSilent
		l.enquireAtOnce()
	}
	if l.stopWaiting(q) {
		if q.status != pdu.OK {
			return "", l.s.settings.submitRefused(q.status)
		}
		return q.id, nil
	}
	return "", &gateway.Error{Class: gateway.Unknown, Code: "answer_lost", Err: loggable(failed)}
}

// lostError returns the failure of an attempt whose unit was not completely written before the link closed.
func (l *link) lostError() *gateway.Error {
	if failure := l.s.interrupted(context.Background()); failure != nil {
		return failure
	}
	return &gateway.Error{Class: gateway.Temporary, Code: "connection_lost", Err: loggable(l.closeCause())}
}

// send writes a request. After an error, the center cannot have accepted it, because a write fails only if not all
// octets were written.
func (l *link) send(command pdu.Command, body []byte, p outgoing) (*request, error) {
	q := &request{command: command, message: p, done: make(chan struct{})}
	l.mu.Lock()
	l.sequence = l.sequence%0x7fffffff + 1
	sequence := l.sequence
	l.pending[sequence] = q
	l.mu.Unlock()
	err := l.write(pdu.PDU{Command: command, Sequence: sequence, Body: body})
	if err != nil {
		l.mu.Lock()
		delete(l.pending, sequence)
		l.mu.Unlock()
	}
	return q, err
}

// stopWaiting ends the wait for a response and reports whether it has already arrived. The ID in a later response is still stored.
func (l *link) stopWaiting(q *request) (responded bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-q.done:
		return true
	default:
	}
	q.unawaited = true
	if l.unawaited++; l.unawaited > maxUnawaited {
		for sequence, old := range l.pending {
			if old.unawaited && old != q {
				delete(l.pending, sequence)
				l.unawaited--
				break
			}
		}
	}
	return false
}

// write writes a complete unit or closes the link.
func (l *link) write(p pdu.PDU) error {
	b, err := p.Append(make([]byte, 0, 16+len(p.Body)))
	if err != nil {
		return err
	}
	select {
	case l.writing <- struct{}{}:
		defer func() { <-l.writing }()
	case <-l.closed:
		return l.closeCause()
	}
	if !l.alive() {
		return l.closeCause()
	}
	l.writeTimer.Reset(min(l.s.settings.responseTimeout(), longestWrite))
	_, err = l.conn.Write(b)
	l.writeTimer.Stop()
	if err != nil {
		l.close(err)
	}
	return err
}

const longestWrite = 10 * time.Second

// enquireAtOnce makes enquireLoop check the connection now.
func (l *link) enquireAtOnce() {
	l.unanswered.Store(true)
	select {
	case l.enquireNow <- struct{}{}:
	default:
	}
}

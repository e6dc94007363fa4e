package smpp

import (
	"bufio"
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"griot/gateway"
	"griot/gateway/smpp/pdu"
)

// link is a bound connection.
type link struct {
	s       *sender
	conn    net.Conn
	r       *bufio.Reader
	writing chan struct{} // a place for the one that writes
	stuck   *time.Timer   // ends the link when a write takes too long
	window  chan struct{} // a place for each submit_sm without an answer
	check   chan struct{} // ask the center at once whether it is there
	doubt   atomic.Bool   // something went unanswered, and nothing has been heard since
	useful  atomic.Bool   // the center has answered more than the bind
	visit   *visit

	mu       sync.Mutex
	sequence uint32
	waiting  map[uint32]*request
	overdue  int // of those waiting, how many nobody waits for any more
	cause    error
	dead     chan struct{}
}

// request is a unit of ours that wants an answer.
type request struct {
	command pdu.Command
	parcel  parcel        // of submit_sm
	done    chan struct{} // closed once the answer is there
	status  pdu.Status
	id      string // of submit_sm that was taken
	left    bool   // nobody waits for the answer any more
}

var (
	errSilent   = errors.New("the center doesn't answer")
	errStuck    = errors.New("the center doesn't read")
	errUnbound  = errors.New("the center has unbound")
	errProtocol = errors.New("what the center says isn't SMPP")
	errLeaving  = errors.New("unbound")
)

// maxOverdue bounds how many late answers a link remembers to expect.
const maxOverdue = 1000

func (s *sender) newLink(conn net.Conn) *link {
	l := &link{
		s: s, conn: conn, r: bufio.NewReader(conn),
		writing: make(chan struct{}, 1), window: make(chan struct{}, s.settings.Window), check: make(chan struct{}, 1),
		waiting: map[uint32]*request{}, visit: &visit{}, dead: make(chan struct{}),
	}
	l.stuck = time.AfterFunc(time.Hour, func() { l.kill(errStuck) })
	l.stuck.Stop()
	return l
}

// kill ends the link. Only the first cause counts.
func (l *link) kill(cause error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cause != nil {
		return
	}
	l.cause = cause
	close(l.dead)
	l.visit.over.Store(true)
	l.stuck.Stop()
	_ = l.conn.Close()
}

func (l *link) alive() bool {
	select {
	case <-l.dead:
		return false
	default:
		return true
	}
}

func (l *link) ended() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.cause
}

// submit hands over a submit_sm, and waits for its answer.
func (l *link) submit(ctx context.Context, p parcel, body []byte) (id string, failure *gateway.Error) {
	select {
	case l.window <- struct{}{}:
		defer func() { <-l.window }()
	case <-l.dead:
		return "", l.lost()
	case <-ctx.Done():
		return "", l.s.interrupted(ctx)
	case <-l.s.life.Done():
		return "", l.s.interrupted(ctx)
	}
	if failure := l.s.interrupted(ctx); failure != nil {
		return "", failure
	}
	q, err := l.ask(pdu.SubmitSM, body, p)
	if err != nil {
		return "", l.lost()
	}
	patience := time.NewTimer(l.s.settings.responseTimeout())
	defer patience.Stop()
	var why error
	select {
	case <-q.done:
	case <-l.dead:
		why = l.ended()
	case <-ctx.Done():
		why = ctx.Err()
	case <-patience.C:
		why = errSilent
		l.suspect()
	}
	if l.settled(q) {
		if q.status != pdu.OK {
			return "", refused(q.status)
		}
		return q.id, nil
	}
	return "", &gateway.Error{Class: gateway.Unknown, Code: "answer_lost", Err: cause(why)}
}

// lost is the failure of an attempt that found the link gone before it had written anything whole.
func (l *link) lost() *gateway.Error {
	if failure := l.s.interrupted(context.Background()); failure != nil {
		return failure
	}
	return &gateway.Error{Class: gateway.Temporary, Code: "connection_lost", Err: cause(l.ended())}
}

// ask writes a request. An error says that it isn't whole at the center, which
// therefore can't have taken it: a write returns one only if not all octets have left.
func (l *link) ask(command pdu.Command, body []byte, p parcel) (*request, error) {
	q := &request{command: command, parcel: p, done: make(chan struct{})}
	l.mu.Lock()
	l.sequence = l.sequence%0x7fffffff + 1
	sequence := l.sequence
	l.waiting[sequence] = q
	l.mu.Unlock()
	err := l.write(pdu.PDU{Command: command, Sequence: sequence, Body: body})
	if err != nil {
		l.mu.Lock()
		delete(l.waiting, sequence)
		l.mu.Unlock()
	}
	return q, err
}

// settled reports whether the answer has come. If not, one that comes later is still written into the book.
func (l *link) settled(q *request) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-q.done:
		return true
	default:
	}
	q.left = true
	if l.overdue++; l.overdue > maxOverdue {
		for sequence, old := range l.waiting {
			if old.left && old != q {
				delete(l.waiting, sequence)
				l.overdue--
				break
			}
		}
	}
	return false
}

// write writes a unit whole, or ends the link.
func (l *link) write(p pdu.PDU) error {
	b, err := p.Append(make([]byte, 0, 16+len(p.Body)))
	if err != nil {
		return err
	}
	select {
	case l.writing <- struct{}{}:
		defer func() { <-l.writing }()
	case <-l.dead:
		return l.ended()
	}
	if !l.alive() {
		return l.ended()
	}
	l.stuck.Reset(min(l.s.settings.responseTimeout(), longestWrite))
	_, err = l.conn.Write(b)
	l.stuck.Stop()
	if err != nil {
		l.kill(err)
	}
	return err
}

const longestWrite = 10 * time.Second

// suspect has the center asked at once whether it is there.
func (l *link) suspect() {
	l.doubt.Store(true)
	select {
	case l.check <- struct{}{}:
	default:
	}
}

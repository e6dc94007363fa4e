package send

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"griot/gateway"
	"griot/internal/clock"
	"griot/internal/limit"
	"griot/messaging/message"
)

const (
	lineMost    = 32               // messages that wait in line for one recipient, holding a slot
	lineWait    = leaseMargin / 2  // the most that one waits there
	parkFor     = time.Second      // for those who find the line full, or wait too long
	parkedMost  = 10 * time.Second // after its time, until nobody waits any longer for one that was put back
	connectWait = time.Second      // for a gateway that is connecting
)

// traffic decides when a message may be handed over: after the earlier ones of its
// sender to the same recipient, at its gateway's pace, and not while its sender
// fails. It never holds up one sender for another's sake. Who cannot go soon is
// parked: put back in the queue until a later time, without counting as an attempt.
type traffic struct {
	now clock.Now

	mu      sync.Mutex
	senders map[string]*senderTraffic
	lines   map[pair]*line
	paces   map[string]*pace // by gateway
}

// pair is a sender and a recipient: what order is kept for.
type pair struct{ sender, to string }

// line is the messages of a pair that are to go, the first one going.
type line struct {
	going   bool
	waiting []chan struct{}
	parked  map[string]uint64 // those that wait in the database, and their places: theirs is before that of newer ones
	places  uint64            // given so far
	until   time.Time         // when the last of the parked is due
}

type senderTraffic struct {
	slots   int // that its messages hold
	breaker breaker
	health  Health
}

// pace holds what a gateway says of how often it may be asked.
type pace struct {
	of           gateway.Pace
	sender, pair *limit.Limiter
}

func newTraffic(now clock.Now) *traffic {
	return &traffic{now: now, senders: map[string]*senderTraffic{}, lines: map[pair]*line{}, paces: map[string]*pace{}}
}

// ticket is a message's place in its line.
type ticket struct {
	t      *traffic
	pair   pair
	id     string
	slot   *slot
	line   *line         // nil: it stands alone
	place  uint64        // in the line
	turn   chan struct{} // nil: it is its turn already
	parked time.Time     // not zero: it is to be put back until then
	probe  bool          // it tries whether its sender works again
	left   bool
}

// join takes a message's place in line. Places are given in the order of the calls.
// Codes and recovery links wait behind nobody, and nobody behind them: they stand
// alone, and are worth nothing when they are late.
func (t *traffic) join(m *message.Message, s *slot) *ticket {
	tk := &ticket{t: t, pair: pairOf(m), id: m.ID, slot: s}
	if m.Sensitive {
		return tk
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.line(tk.pair)
	tk.line = l
	tk.place = l.placed(m.ID)
	switch {
	case l.ahead(tk.place), len(l.waiting) == lineMost:
		tk.parked = l.park(m.ID, tk.place, t.now().Add(parkFor))
		return tk
	case l.going:
		tk.turn = make(chan struct{})
		l.waiting = append(l.waiting, tk.turn)
	default:
		l.going = true
	}
	delete(l.parked, m.ID)
	return tk
}

func pairOf(m *message.Message) pair {
	if m.Wish.GroupID != "" {
		return pair{m.SenderID, m.Wish.GroupID}
	}
	return pair{m.SenderID, m.Address}
}

// line returns a pair's line. Of those that were parked and have not come back in time nobody waits any longer.
func (t *traffic) line(k pair) *line {
	l := t.lines[k]
	if l == nil {
		l = &line{}
		t.lines[k] = l
	}
	if t.now().Sub(l.until) > parkedMost {
		clear(l.parked) // canceled or expired meanwhile
	}
	return l
}

// enlist notes that a message waits in the database, behind those that wait there already.
func (t *traffic) enlist(m *message.Message) {
	if m.Sensitive {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.line(pairOf(m))
	l.park(m.ID, l.placed(m.ID), m.DueAt)
}

// sort puts messages that come back in the order in which they were parked.
func (t *traffic) sort(messages []*message.Message) {
	t.mu.Lock()
	defer t.mu.Unlock()
	place := func(m *message.Message) uint64 {
		if l := t.lines[pairOf(m)]; l != nil {
			return l.parked[m.ID]
		}
		return 0
	}
	slices.SortStableFunc(messages, func(a, b *message.Message) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
}

// placed returns the place of a message: the one that it was parked with, or the next.
func (l *line) placed(id string) uint64 {
	if place, ok := l.parked[id]; ok {
		return place
	}
	l.places++
	return l.places
}

// ahead reports whether a parked message has its turn before the one with a place.
func (l *line) ahead(place uint64) bool {
	for _, p := range l.parked {
		if p < place {
			return true
		}
	}
	return false
}

// park puts a message at its place among the parked.
func (l *line) park(id string, place uint64, until time.Time) time.Time {
	if l.parked == nil {
		l.parked = map[string]uint64{}
	}
	l.parked[id] = place
	if place == l.places && !until.After(l.until) { // behind them all: it comes back after them
		until = l.until.Add(time.Millisecond)
	}
	if until.After(l.until) {
		l.until = until
	}
	return until
}

func (t *traffic) sender(id string) *senderTraffic {
	s := t.senders[id]
	if s == nil {
		s = &senderTraffic{}
		t.senders[id] = s
	}
	return s
}

// wait returns when the message may be handed over; ok is false when it is to be put back until a time.
func (tk *ticket) wait(ctx context.Context, gatewayName string, p gateway.Pace) (until time.Time, ok bool) {
	if !tk.parked.IsZero() {
		return tk.parked, false
	}
	if tk.turn != nil {
		timeout := time.NewTimer(lineWait)
		defer timeout.Stop()
		select {
		case <-tk.turn:
		case <-timeout.C:
			return tk.park(tk.t.now().Add(parkFor)), false
		case <-ctx.Done():
			return tk.park(tk.t.now()), false
		}
	}
	if tk.overtakes() { // one before it was put back while it waited
		return tk.park(tk.t.now().Add(parkFor)), false
	}
	if wait := tk.t.hold(tk, gatewayName, p); wait > 0 {
		return tk.park(tk.t.now().Add(wait)), false
	}
	return time.Time{}, true
}

func (tk *ticket) overtakes() bool {
	tk.t.mu.Lock()
	defer tk.t.mu.Unlock()
	return tk.line != nil && tk.line.ahead(tk.place)
}

func (tk *ticket) park(until time.Time) time.Time {
	tk.t.mu.Lock()
	defer tk.t.mu.Unlock()
	if tk.line == nil {
		return until
	}
	return tk.line.park(tk.id, tk.place, until)
}

// hold returns how long the sender's breaker or the gateway's pace keep the message back.
func (t *traffic) hold(tk *ticket, gatewayName string, p gateway.Pace) time.Duration {
	t.mu.Lock()
	wait, probe := t.sender(tk.pair.sender).breaker.hold(t.now())
	tk.probe = probe
	paced := t.paces[gatewayName]
	if p.Sender == 0 && p.Pair == 0 {
		paced = nil
	} else if paced == nil || paced.of != p { // the first of it, or it says something else now
		paced = newPace(t.now, p)
		t.paces[gatewayName] = paced
	}
	t.mu.Unlock()
	if wait > 0 || paced == nil {
		return wait
	}
	if wait = paced.hold(tk.pair); wait > 0 {
		wait += paced.jitter()
	}
	return wait
}

// jitter lengthens a wait, where messages go so seldom that the even beat of a machine could be told from a person's.
func (p *pace) jitter() time.Duration {
	every := max(p.of.Sender, p.of.Pair)
	if every < time.Second {
		return 0
	}
	return time.Duration(rand.Float64() * jitter * float64(every))
}

func newPace(now clock.Now, p gateway.Pace) *pace {
	limiter := func(every time.Duration) *limit.Limiter {
		if every == 0 {
			return nil
		}
		return limit.New(now, 1, every, max(p.Burst, 1))
	}
	return &pace{p, limiter(p.Sender), limiter(p.Pair)}
}

func (p *pace) hold(k pair) time.Duration {
	if p.pair != nil {
		if ok, wait := p.pair.Check(k.sender + " " + k.to); !ok {
			return wait
		}
	}
	if p.sender != nil {
		if ok, wait := p.sender.Allow(k.sender); !ok {
			return wait
		}
	}
	if p.pair != nil {
		p.pair.Allow(k.sender + " " + k.to)
	}
	return 0
}

// leave gives the place to the next in line. class is how the attempt failed; "" when it did not, or there was none.
func (tk *ticket) leave(class gateway.Class, made bool) {
	t := tk.t
	t.mu.Lock()
	defer t.mu.Unlock()
	if tk.left {
		return
	}
	tk.left = true
	s := t.sender(tk.pair.sender)
	switch {
	case made:
		s.breaker.note(t.now(), class)
		s.health.note(t.now(), class)
	case tk.probe:
		s.breaker.probing = false
	}
	l := tk.line
	if l == nil {
		return
	}
	switch {
	case tk.parked.IsZero() && tk.turn != nil && l.forget(tk.turn): // it left while it waited
	case tk.parked.IsZero() && len(l.waiting) > 0:
		close(l.waiting[0])
		l.waiting = l.waiting[1:]
	case tk.parked.IsZero():
		l.going = false
	}
	if !l.going && len(l.parked) == 0 {
		delete(t.lines, tk.pair)
	}
}

// onward leaves the line, and joins that of the way that m is on now.
func (tk *ticket) onward(m *message.Message) *ticket {
	tk.forsake()
	tk.slot.move(m.SenderID)
	return tk.t.join(m, tk.slot)
}

// forsake gives up a place among the parked: nobody waits for it any more.
func (tk *ticket) forsake() {
	tk.t.mu.Lock()
	defer tk.t.mu.Unlock()
	if tk.line != nil {
		delete(tk.line.parked, tk.id)
	}
}

// forget takes a place out of the line; false when its turn has come.
func (l *line) forget(turn chan struct{}) bool {
	for i, w := range l.waiting {
		if w == turn {
			l.waiting = append(l.waiting[:i:i], l.waiting[i+1:]...)
			return true
		}
	}
	return false
}

// sweep forgets lines in which nobody will come again.
func (t *traffic) sweep() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for k, l := range t.lines {
		if !l.going && len(l.waiting) == 0 && t.now().Sub(l.until) > parkedMost {
			delete(t.lines, k)
		}
	}
}

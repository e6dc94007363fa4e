package send

const (
	inFlight    = 2048         // messages being carried at once
	senderShare = inFlight / 4 // of them, of one sender: one that hangs leaves room for the others
)

// slot is the right to carry one message. Each sender has a share of them.
type slot struct {
	e      *Engine
	sender string
}

// reserve takes up to most slots for a sender's messages.
func (e *Engine) reserve(sender string, most int) []*slot {
	want := e.traffic.take(sender, most)
	var got []*slot
	for len(got) < want {
		select {
		case e.slots <- struct{}{}:
			got = append(got, &slot{e, sender})
			continue
		default:
		}
		e.traffic.give(sender, want-len(got))
		break
	}
	return got
}

// move counts the slot as another sender's.
func (s *slot) move(sender string) {
	s.e.traffic.give(s.sender, 1)
	s.e.traffic.add(sender)
	s.sender = sender
}

func (s *slot) release() {
	s.e.traffic.give(s.sender, 1)
	<-s.e.slots
}

// take counts up to most more slots as a sender's; none while it rests.
func (t *traffic) take(sender string, most int) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.sender(sender)
	n := max(min(most, senderShare-s.slots), 0)
	s.slots += n
	return n
}

func (t *traffic) add(sender string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sender(sender).slots++
}

func (t *traffic) give(sender string, n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sender(sender).slots -= n
}

// rests reports whether nothing of a sender need be taken up now.
func (t *traffic) rests(sender string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.senders[sender]
	return s != nil && s.breaker.open(t.now())
}

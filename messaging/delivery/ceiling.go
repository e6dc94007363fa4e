package delivery

import (
	"context"
	"sync"
	"time"

	"griot/internal/fault"
	"griot/messaging/message"
)

const (
	ceilingEvery = time.Second
	ceilingRetry = 5 * time.Second
)

// ceiling bounds how many messages are under way: QUEUED or SENDING, and to be looked
// at soon. It counts what comes and goes, and looks into the database once a second for
// the rest: what other processes accept, and what ends after its request.
type ceiling struct {
	most int64 // 0: none

	mu     sync.Mutex
	count  int64
	looked time.Time
	busy   bool
}

// enter counts one more; ok is false when there is no place for it. look is true when it is time for one.
func (c *ceiling) enter(now time.Time) (ok, look bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.busy && (now.Sub(c.looked) >= ceilingEvery || now.Before(c.looked)) {
		c.busy, look = true, true
	}
	if c.count >= c.most {
		return false, look
	}
	c.count++
	return true, look
}

// leave takes one back. One that a look did not find, though it had come, makes the count too small until the next look.
func (c *ceiling) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count = max(0, c.count-1)
}

// looks replaces the count by what was found; n is negative when nothing could be.
func (c *ceiling) looks(n int64, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.busy, c.looked = false, now; n >= 0 {
		c.count = n
	}
}

// room refuses a submission when too much is under way.
func (s *Service) room(ctx context.Context, sub *submission) error {
	if s.ceiling.most == 0 || sub.m.Status != message.Queued && sub.m.Status != message.Sending {
		return nil
	}
	ok, look := s.ceiling.enter(s.o.Now())
	if look {
		go s.recount(context.WithoutCancel(ctx))
	}
	if !ok {
		return fault.TooMuchUnderWay.After(ceilingRetry)
	}
	sub.counted = true
	return nil
}

func (s *Service) recount(ctx context.Context) {
	now := s.o.Now()
	n, err := s.outbox.UnderWay(ctx, s.lookAt(now))
	if err != nil {
		n = -1 // the next one looks again
	}
	s.ceiling.looks(n, now)
}

// gone: the submission is not under way, or not any more.
func (s *Service) gone(sub *submission) {
	if sub.counted {
		sub.counted = false
		s.ceiling.leave()
	}
}

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
	inside int64 // of these, those whose request goes on: they may not be stored yet
	since  int64 // how many have come, less those that have gone, since the look began that goes on
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
	if ok = c.count < c.most; ok {
		c.count++
		c.inside++
		c.since++
	}
	return ok, look
}

// leave ends a request; gone: its message is not under way any more, or never was.
func (c *ceiling) leave(gone bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.inside--
	if gone {
		c.count = max(0, c.count-1)
		c.since--
	}
}

// look replaces the count by what find finds, unless that fails. What goes on meanwhile is added.
func (c *ceiling) look(now time.Time, find func() (int64, error)) {
	c.mu.Lock()
	inside := c.inside
	c.since = 0
	c.mu.Unlock()
	n, err := find()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.busy, c.looked = false, now; err == nil {
		c.count = max(0, max(n, inside)+c.since)
	}
}

// room refuses a submission when too much is under way.
func (s *Service) room(ctx context.Context, sub *submission) error {
	if s.ceiling.most == 0 || sub.m.Status != message.Queued && sub.m.Status != message.Sending {
		return nil
	}
	ok, look := s.ceiling.enter(s.o.Now())
	if look {
		go s.ceiling.look(s.o.Now(), func() (int64, error) {
			return s.outbox.Backlog(context.WithoutCancel(ctx), s.lookAt(s.o.Now()))
		})
	}
	if !ok {
		return fault.TooMuchUnderWay.After(ceilingRetry)
	}
	sub.counted = true
	return nil
}

// leave ends a submission's request. gone: it is not under way, or not any more.
func (s *Service) leave(sub *submission, gone bool) {
	if sub.counted {
		sub.counted = false
		s.ceiling.leave(gone)
	}
}

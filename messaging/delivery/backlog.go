package delivery

import (
	"context"
	"sync"
	"time"

	"example.com/griot/internal/apierror"
	"example.com/griot/messaging/message"
)

const (
	backlogInterval   = time.Second
	backlogRetryAfter = 5 * time.Second
)

// A backlogLimit limits the backlog: messages that are ready or in flight, and those that are due soon. It counts
// this process's requests. Once per second, it also counts the database's rows, to include messages of other
// processes and messages that end after their requests.
type backlogLimit struct {
	max int64 // 0: no limit

	mu        sync.Mutex
	count     int64
	requests  int64 // of these, messages whose requests have not ended; they might not be stored yet
	change    int64 // change of count since the current count of the rows started
	countedAt time.Time
	counting  bool
}

// enter counts one more message. ok is false if the backlog is full. recount is true if the rows must be counted.
func (c *backlogLimit) enter(now time.Time) (ok, recount bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.counting && (now.Sub(c.countedAt) >= backlogInterval || now.Before(c.countedAt)) {
		c.counting, recount = true, true
	}
	if ok = c.count < c.max; ok {
		c.count++
		c.requests++
		c.change++
	}
	return ok, recount
}

// leave ends a request. gone means that its message is not, or no longer, in the backlog.
func (c *backlogLimit) leave(gone bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests--
	if gone {
		c.count = max(0, c.count-1)
		c.change--
	}
}

// recount replaces the count with the result of find, unless find fails, and adds the changes since find started.
func (c *backlogLimit) recount(now time.Time, find func() (int64, error)) {
	c.mu.Lock()
	inside := c.requests
	c.change = 0
	c.mu.Unlock()
	n, err := find()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.counting, c.countedAt = false, now; err == nil {
		c.count = max(0, max(n, inside)+c.change)
	}
}

// enterBacklog refuses a submission if the backlog is full.
func (s *Service) enterBacklog(ctx context.Context, sub *submission) error {
	if s.backlog.max == 0 || sub.m.Status != message.Queued && sub.m.Status != message.Sending {
		return nil
	}
	ok, look := s.backlog.enter(s.o.Now())
	if look {
		go s.backlog.recount(s.o.Now(), func() (int64, error) {
			return s.outbox.Backlog(context.WithoutCancel(ctx), s.lookAgainAt(s.o.Now()))
		})
	}
	if !ok {
		return apierror.TooMuchUnderWay.After(backlogRetryAfter)
	}
	sub.inBacklog = true
	return nil
}

// leaveBacklog ends a submission's request, if it was counted. gone is the same as in [backlogLimit.leave].
func (s *Service) leaveBacklog(sub *submission, gone bool) {
	if sub.inBacklog {
		sub.inBacklog = false
		s.backlog.leave(gone)
	}
}

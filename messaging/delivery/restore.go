package delivery

import (
	"context"
	"errors"
	"sync"

	"example.com/griot/messaging/message"
)

const (
	endAtOnce = 1000
	endCalls  = 64 // concurrent calls, so that they share commits
)

// EndRestored ends the messages that the process before a restore might have sent since the backup. Their outcome is
// unknown, and nothing is sent twice. It returns the number of ended messages. If the process dies before it has
// ended all of them, the next process continues, because [Service.Recover] calls EndRestored. Sending is paused until
// then.
func (s *Service) EndRestored(ctx context.Context) (ended int, err error) {
	p, err := s.outbox.SendingPause(ctx)
	if err != nil || p == nil || p.EndBefore.IsZero() {
		return 0, err
	}
	e := &event{kind: restored, at: p.EndBefore}
	for after := ""; ; {
		ids, err := s.outbox.InDoubt(ctx, p.EndBefore, after, endAtOnce)
		if err != nil {
			return ended, err
		}
		n, err := s.endAll(ctx, ids, e)
		if ended += n; err != nil {
			return ended, err
		}
		if len(ids) < endAtOnce {
			return ended, s.outbox.EndedBefore(ctx, p.EndBefore)
		}
		after = ids[len(ids)-1]
	}
}

// endAll settles an event for each of the messages.
func (s *Service) endAll(ctx context.Context, ids []string, e *event) (ended int, err error) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	slots := make(chan struct{}, endCalls)
	for _, id := range ids {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			changed, failed := s.endOne(ctx, id, e)
			mu.Lock()
			defer mu.Unlock()
			if err = errors.Join(err, failed); changed {
				ended++
			}
		})
	}
	wg.Wait()
	return ended, err
}

func (s *Service) endOne(ctx context.Context, id string, e *event) (changed bool, err error) {
	for {
		m, err := s.outbox.Find(ctx, id)
		if err != nil || m == nil {
			return false, err
		}
		a, err := s.o.Directory.Account(ctx, m.AccountID)
		if err != nil || a == nil {
			return false, errors.Join(err, errNoAccount)
		}
		after, o, err := s.settleOnce(ctx, a, m, e)
		if err != nil || after != nil {
			return o.message != nil && after.Status != message.Sent, err
		}
	}
}

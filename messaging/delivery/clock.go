package delivery

import (
	"context"
	"time"
)

// leastBack is a step back of the clock that matters; smaller ones only make a wait a little longer.
const leastBack = time.Second

// setBack: the clock went back. What waits for some seconds waits for as many as before, and not for the time by which
// the clock was wrong as well.
func (s *Service) setBack(ctx context.Context, by time.Duration) error {
	if err := s.outbox.ShiftDueTimes(ctx, by, max(s.o.Attempt+lookMargin, s.o.UnknownWait, unknownMost)); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.workers {
		w.setBack(by)
	}
	s.o.Log.Warn("the clock went back", "by", by)
	return nil
}

package delivery

import (
	"context"
	"time"
)

// minClockStep is the smallest backward step of the clock that is corrected. Smaller steps only extend waits slightly.
const minClockStep = time.Second

// clockSetBack corrects due times after the clock was set back by a duration, so that nothing waits longer because of it.
func (s *Service) clockSetBack(ctx context.Context, by time.Duration) error {
	if err := s.outbox.ShiftDueTimes(ctx, by, max(s.o.Attempt+lookMargin, s.o.UnknownWait, unknownDelayMax)); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.workers {
		w.shiftTimes(by)
	}
	s.o.Log.Warn("the clock went back", "by", by)
	return nil
}

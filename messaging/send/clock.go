package send

import (
	"context"
	"time"

	"griot/internal/db"
	"griot/messaging/message"
)

// leastBack is a step back of the clock that matters; smaller ones only make a wait a little longer.
const leastBack = time.Second

// setBack: the clock went back. What waits for some seconds waits for as many as
// before, and not for the time by which the clock was wrong as well.
func (e *Engine) setBack(ctx context.Context, now time.Time, by time.Duration) error {
	most := max(e.lease(), e.o.UnknownWait, unknownMost)
	if err := e.o.DB.Write(ctx, func(tx *db.Tx) error { return message.SetBack(tx, now, by, most) }); err != nil {
		return err
	}
	e.traffic.setBack(by)
	e.o.Log.Warn("the clock went back", "by", by)
	return nil
}

// setBack shifts what the lines and the breakers remember.
func (t *traffic) setBack(by time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range t.senders {
		s.breaker.until = s.breaker.until.Add(-by)
	}
	for _, l := range t.lines {
		l.until = l.until.Add(-by)
	}
}

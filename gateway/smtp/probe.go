package smtp

import "context"

// Probe implements [gateway.Prober]: it logs in, unless a connection is kept, and says NOOP.
func (s *sender) Probe(ctx context.Context) error {
	if s.life.Err() != nil {
		return interrupted(s.life)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(s.life, func() { cancel(errClosed) })()
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-ctx.Done():
		return interrupted(ctx)
	}
	for {
		c, failure := s.take(ctx)
		if failure != nil {
			return failure
		}
		stop := context.AfterFunc(ctx, c.kill)
		c.raw.command()
		err := c.client.Noop()
		if !stop() || err != nil {
			c.broken = true
		}
		kept := c.kept
		s.give(c)
		switch {
		case err == nil:
			return nil
		case !kept || ctx.Err() != nil: // one that was kept may have died without a sign
			return failed(ctx, atGreeting, err)
		}
	}
}

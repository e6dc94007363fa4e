package smtp

import "context"

// Probe implements [gateway.Prober] with NOOP, on an idle connection or a new one.
func (s *sender) Probe(ctx context.Context) error {
	if s.lifetime.Err() != nil {
		return interrupted(s.lifetime)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(s.lifetime, func() { cancel(errClosed) })()
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-ctx.Done():
		return interrupted(ctx)
	}
	for {
		c, failure := s.get(ctx)
		if failure != nil {
			return failure
		}
		stop := context.AfterFunc(ctx, c.close)
		c.raw.startCommand()
		err := c.client.Noop()
		if !stop() || err != nil {
			c.broken = true
		}
		reused := c.reused
		s.put(c)
		switch {
		case err == nil:
			return nil
		case !reused || ctx.Err() != nil: // an idle connection might have been closed unnoticed
			return stageError(ctx, atConnect, err)
		}
	}
}

package login

import (
	"context"
	"log/slog"
	"sync"

	"example.com/griot/gateway"
)

// writers is the number of calls that send messages to people at the same time.
const writers = 4

// RunMessages sends the messages of logins until ctx ends: the requests for hidden numbers, and the replies to people who
// have signed in. Messages from the process's gateways wait for no call. What waits when ctx ends is dropped.
func (s *Service) RunMessages(ctx context.Context, log *slog.Logger) error {
	var work sync.WaitGroup
	defer work.Wait()
	for range writers {
		work.Go(func() {
			for {
				select {
				case <-ctx.Done():
					return
				case sessionID := <-s.asking:
					if err := s.request(ctx, sessionID); err != nil && ctx.Err() == nil {
						log.ErrorContext(ctx, "asking a person for the number", "login", sessionID, "err", err)
					}
				case r := <-s.replying:
					if err := s.sendReply(ctx, r, log); err != nil && ctx.Err() == nil {
						log.ErrorContext(ctx, "confirming a login by a reply", "login", r.sessionID, "err", err)
					}
				}
			}
		})
	}
	return nil
}

// gatewayOf returns the receiver of a login and its gateway, which stays open until done is called. The gateway is nil if
// there is none.
func (s *Service) gatewayOf(ctx context.Context, sessionID string) (receiver Receiver, g gateway.Sender, done func()) {
	session, err := selectSession(s.db.Read(ctx), sessionID)
	if err != nil || session == nil {
		return Receiver{}, nil, func() {}
	}
	for _, r := range s.receivers {
		if r.PhoneID == session.Receiver {
			receiver = r
		}
	}
	g, done = s.gateways.Use(receiver.Gateway)
	return receiver, g, done
}

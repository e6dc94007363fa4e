package login

import (
	"context"
	"log/slog"
	"sync"

	"example.com/griot/auth/oauth"
	"example.com/griot/gateway"
	"example.com/griot/internal/visible"
)

// The numbers of calls at the same time: those that ask for numbers, for which logins wait, and those that reply, which
// don't delay them.
const (
	askers   = 4
	repliers = 2
)

// RunMessages sends the messages of logins until ctx ends: the requests for hidden numbers, and the replies to people who
// have signed in. Messages from the process's gateways wait for no call. What waits when ctx ends is dropped.
func (s *Service) RunMessages(ctx context.Context, log *slog.Logger) error {
	var work sync.WaitGroup
	defer work.Wait()
	for range askers {
		work.Go(func() {
			serve(ctx, s.asking, func(sessionID string) {
				if err := s.request(ctx, sessionID); err != nil && ctx.Err() == nil {
					log.ErrorContext(ctx, "asking a person for the number", "login", sessionID, "err", err)
				}
			})
		})
	}
	for range repliers {
		work.Go(func() {
			serve(ctx, s.replying, func(r reply) {
				if err := s.sendReply(ctx, r, log); err != nil && ctx.Err() == nil {
					log.ErrorContext(ctx, "confirming a login by a reply", "login", r.sessionID, "err", err)
				}
			})
		})
	}
	return nil
}

// serve handles what arrives until ctx ends.
func serve[T any](ctx context.Context, arriving <-chan T, handle func(T)) {
	for {
		select {
		case <-ctx.Done():
			return
		case one := <-arriving:
			handle(one)
		}
	}
}

// applicationName returns the name of the login's application for a message from the login number, which people trust. It
// is the host to which the login returns if the tenant's name contains a web address, which a phone would make a link.
func (s *Session) applicationName() string {
	if visible.HasAddress(s.TenantName) {
		return oauth.Host(s.RedirectURI)
	}
	return s.TenantName
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

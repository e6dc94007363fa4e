package delivery

import (
	"context"
	"time"

	"example.com/griot/internal/apierror"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/quota"
)

// Intervals at which a message of another node is read while a request waits for it: the first one and the maximum.
const (
	firstPoll  = 20 * time.Millisecond
	replayPoll = 100 * time.Millisecond
)

// replay responds to a request whose idempotency key is stored with the key's message. It returns nil if the key is
// new. If the message is still being sent, replay waits until timeout, as a first request would.
//
// Errors: message_failed; idempotency_key_used ([message.Holder.Replays]).
func (s *Service) replay(ctx context.Context, c *account.Caller, r *message.Request, timeout <-chan time.Time) (*Result, error) {
	read := s.o.DB.Read(ctx)
	holder, err := message.FindKeyHolder(read, s.sweptKeys, c.Account.ID, r.IdempotencyKey)
	if err != nil || holder == nil {
		return nil, err
	}
	if !holder.Replays(c.ProjectID, s.simulated(c, r)) {
		return nil, apierror.IdempotencyKeyUsed.Err()
	}
	m, err := s.awaitFirstResult(ctx, holder.MessageID, timeout)
	if err != nil {
		return nil, err
	}
	if m == nil && holder.Swept == nil { // it was deleted in the meantime
		if holder, err = message.FindKeyHolder(read, s.sweptKeys, c.Account.ID, r.IdempotencyKey); err != nil {
			return nil, err
		}
	}
	if m == nil {
		if holder == nil || holder.Swept == nil {
			return nil, apierror.IdempotencyKeyUsed.Err() // its data was deleted
		}
		m = holder.SweptTo(r)
	}
	used, err := quota.Used(read, c.Account.ID, quota.Day(s.o.Now()))
	if err != nil {
		return nil, err
	}
	if m.Status.HasFailed() {
		return nil, apierror.MessageFailed.Err().With("messageId", m.ID).With("status", m.Status)
	}
	return &Result{Message: m, Deduplicated: true, PayloadMismatch: !s.sameRequest(c, r, holder.Fingerprint), Used: used, Limit: c.Account.Plan.DailyLimit}, nil
}

// fingerprint returns a request's fingerprint, made with the master key in use.
func (s *Service) fingerprint(r *message.Request) string {
	mark, key := s.fingerprints.Marked()
	return mark + r.Fingerprint(key)
}

// sameRequest reports whether a request has the given fingerprint.
func (s *Service) sameRequest(c *account.Caller, r *message.Request, fingerprint string) bool {
	checked := *r
	checked.Wrong = nil // a surface's own refusal, such as of a time that has passed since, doesn't make it another request
	if s.check(&checked) != nil {
		return false
	}
	checked.Sandbox = s.simulated(c, r)
	return message.SameRequest(fingerprint, s.fingerprint(&checked))
}

// awaitFirstResult returns a message once its first attempt has ended, or in its current state after timeout.
func (s *Service) awaitFirstResult(ctx context.Context, id string, timeout <-chan time.Time) (*message.Message, error) {
	if first := s.results.get(id); first != nil {
		select {
		case <-first.done:
		case <-timeout:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		return s.outbox.Find(ctx, id)
	}
	for {
		m, err := s.outbox.Find(ctx, id)
		if err != nil || m == nil || !m.Status.Open() || m.Status == message.Scheduled || !m.UnknownAt.IsZero() {
			return m, err
		}
		select {
		case <-timeout:
			return m, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(replayPoll):
		}
	}
}

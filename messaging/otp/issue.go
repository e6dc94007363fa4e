package otp

import (
	"context"
	"errors"
	"strings"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/message"
)

// Issued is a challenge with the result of sending its message.
type Issued struct {
	ChallengeID     string
	ExpiresAt       time.Time
	Send            *delivery.Result // Deduplicated: an earlier request with the same key has created the challenge
	PayloadMismatch bool             // the earlier request had another body
}

// Issue creates a code and sends it (M89 to M104), once per idempotency key.
//
// Errors, with nothing sent: those of an invalid request; otp_rate_limited, otp_blocked; idempotency_key_used; those
// of [delivery.Service.Submit].
func (s *Service) Issue(ctx context.Context, c *account.Caller, r *Request) (*Issued, error) {
	issued, err := s.issue(ctx, c, r)
	s.o.Metrics.Issued(issueResult(issued, err))
	return issued, err
}

func (s *Service) issue(ctx context.Context, c *account.Caller, r *Request) (*Issued, error) {
	if r.IdempotencyKey != "" {
		if replay, err := s.replay(ctx, c, r); replay != nil || err != nil {
			return replay, err
		}
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	if c.Account.Suspended() {
		return nil, apierror.AccountSuspended.Err()
	}
	now := s.o.Now()
	seq, claimed, err := s.reserve(ctx, c, r, now)
	if errors.Is(err, errReplay) {
		replay, err := s.replay(ctx, c, r)
		if replay == nil && err == nil {
			err = apierror.Internal.Err() // the keys of stored messages are never deleted
		}
		return replay, err
	}
	if err != nil {
		return nil, err
	}
	issued, err := s.submit(ctx, c, r, seq, now)
	if err == nil || !claimed {
		return issued, err
	}
	if e := s.write(ctx, func(tx *db.Tx) error { return deleteClaim(tx, c.Account.ID, r.IdempotencyKey) }); e != nil {
		s.o.Log.Error("releasing an idempotency key", "err", e) // the claim expires on its own
	}
	return nil, err
}

// submit stores the challenge with its message, which is then sent.
func (s *Service) submit(ctx context.Context, c *account.Caller, r *Request, seq int64, now time.Time) (*Issued, error) {
	code := id.Code(r.Length)
	if sandboxRequested(c, r.Sandbox) {
		code = strings.Repeat("0", r.Length)
	}
	content, err := s.compose(r, code)
	if err != nil {
		return nil, err
	}
	ch := s.newChallenge(c, r, code, now)
	ch.seq = seq
	res, err := s.o.Delivery.SubmitWith(ctx, c, r.message(content, ch.expiresAt), func(tx *db.Tx, m *message.Message) error {
		ch.messageID, ch.sandbox = m.ID, m.Status == message.Sandbox
		if err := insertChallenge(tx, ch); err != nil || r.IdempotencyKey == "" {
			return err
		}
		return deleteClaim(tx, c.Account.ID, r.IdempotencyKey)
	})
	if err != nil {
		return nil, err
	}
	if res.Deduplicated { // another request with the key was faster
		return s.replayOf(ctx, r, res)
	}
	return &Issued{ChallengeID: ch.id, ExpiresAt: ch.expiresAt, Send: res}, nil
}

// newChallenge returns the challenge for a request's code.
func (s *Service) newChallenge(c *account.Caller, r *Request, code string, now time.Time) *challenge {
	ch := &challenge{
		id: id.Challenge + id.Random(), accountID: c.Account.ID, address: string(r.number), prefix: s.o.Limits.prefix(r.number),
		requestMAC: r.fingerprint(s.fingerprints), createdAt: now, expiresAt: now.Add(r.TTL),
	}
	ch.codeMAC = s.mac(ch.id, code)
	return ch
}

// replay responds to a request whose idempotency key is stored. It returns nil if the key is new. Like any replay, it
// waits for the first request's result. It sends nothing, because the request that it submits has no recipient.
func (s *Service) replay(ctx context.Context, c *account.Caller, r *Request) (*Issued, error) {
	read := s.o.DB.Read(ctx)
	holder, err := message.FindKeyHolder(read, s.sweptKeys, c.Account.ID, r.IdempotencyKey)
	if err != nil || holder == nil {
		return nil, err
	}
	if _, err := s.liveChallenge(ctx, holder.MessageID); err != nil {
		return nil, err
	}
	res, err := s.o.Delivery.Submit(ctx, c, &message.Request{Channel: gateway.SMS, IdempotencyKey: r.IdempotencyKey, Sandbox: r.Sandbox})
	if err != nil {
		return nil, err
	}
	return s.replayOf(ctx, r, res)
}

// replayOf returns the challenge that a message was stored with.
func (s *Service) replayOf(ctx context.Context, r *Request, res *delivery.Result) (*Issued, error) {
	ch, err := s.liveChallenge(ctx, res.Message.ID)
	if err != nil {
		return nil, err
	}
	return &Issued{ChallengeID: ch.id, ExpiresAt: ch.expiresAt, Send: res, PayloadMismatch: !message.SameRequest(ch.requestMAC, r.fingerprint(s.fingerprints))}, nil
}

// liveChallenge returns the challenge of a message until it expires, or nil. Messages without a code have none.
func (s *Service) liveChallenge(ctx context.Context, messageID string) (*challenge, error) {
	ch, err := challengeOfMessage(s.o.DB.Read(ctx), messageID)
	if err != nil {
		return nil, err
	}
	if ch == nil || !s.o.Now().Before(ch.expiresAt) {
		return nil, apierror.IdempotencyKeyUsed.Err()
	}
	return ch, nil
}

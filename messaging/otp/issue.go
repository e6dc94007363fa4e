package otp

import (
	"context"
	"errors"
	"strings"
	"time"

	"griot/gateway"
	"griot/internal/db"
	"griot/internal/fault"
	"griot/internal/id"
	"griot/messaging/account"
	"griot/messaging/delivery"
	"griot/messaging/message"
)

// Issued is a challenge, and what became of its message.
type Issued struct {
	ChallengeID     string
	ExpiresAt       time.Time
	Send            *delivery.Result // Deduplicated: the challenge is one that the same key has made before
	PayloadMismatch bool             // it was asked for with another body
}

// Issue makes a code and sends it, once per idempotency key.
//
// Errors, with nothing sent: what is wrong with the request; otp_rate_limited,
// otp_blocked; idempotency_key_used; those of [delivery.Service.Submit].
func (s *Service) Issue(ctx context.Context, c *account.Caller, r *Request) (*Issued, error) {
	if r.IdempotencyKey != "" {
		if replay, err := s.replay(ctx, c, r); replay != nil || err != nil {
			return replay, err
		}
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	now := s.o.Now()
	turn, claimed, err := s.reserve(ctx, c, r, now)
	if errors.Is(err, errReplay) {
		replay, err := s.replay(ctx, c, r)
		if replay == nil && err == nil {
			err = fault.Internal.Err() // keys are never untied
		}
		return replay, err
	}
	if err != nil {
		return nil, err
	}
	issued, err := s.submit(ctx, c, r, turn, now)
	if err == nil || !claimed {
		return issued, err
	}
	if e := s.write(ctx, func(tx *db.Tx) error { return release(tx, c.Account.ID, r.IdempotencyKey) }); e != nil {
		s.o.Log.Error("releasing an idempotency key", "err", e) // it lapses by itself
	}
	return nil, err
}

// submit stores the challenge with its message, which is then carried.
func (s *Service) submit(ctx context.Context, c *account.Caller, r *Request, turn int64, now time.Time) (*Issued, error) {
	code := id.Code(r.Length)
	if played(c, r.Sandbox) {
		code = strings.Repeat("0", r.Length)
	}
	content, err := s.compose(r, code)
	if err != nil {
		return nil, err
	}
	ch := &challenge{
		id: id.Challenge + id.Random(), accountID: c.Account.ID, address: string(r.number), prefix: s.o.Limits.prefix(r.number),
		turn: turn, requestMAC: r.fingerprint(s.print), createdAt: now, expiresAt: now.Add(r.TTL),
	}
	ch.codeMAC = s.mac(ch.id, code)
	res, err := s.o.Engine.SubmitWith(ctx, c, r.message(content, ch.expiresAt), func(tx *db.Tx, m *message.Message) error {
		ch.messageID, ch.sandbox = m.ID, m.Status == message.Sandbox
		if err := insert(tx, ch); err != nil || r.IdempotencyKey == "" {
			return err
		}
		return release(tx, c.Account.ID, r.IdempotencyKey)
	})
	if err != nil {
		return nil, err
	}
	if res.Deduplicated { // another request under the key was faster
		return s.replayed(ctx, r, res)
	}
	return &Issued{ChallengeID: ch.id, ExpiresAt: ch.expiresAt, Send: res}, nil
}

// replay answers a request whose key is known; nil when it is fresh. It waits for
// the first one's gateway as any replay does, and sends nothing: the request that
// it hands over has nobody to go to.
func (s *Service) replay(ctx context.Context, c *account.Caller, r *Request) (*Issued, error) {
	read := s.o.DB.Read(ctx)
	holder, err := message.Remembered(read, c.Account.ID, r.IdempotencyKey)
	if err != nil || holder == nil {
		return nil, err
	}
	if _, err := s.live(ctx, holder.MessageID); err != nil {
		return nil, err
	}
	res, err := s.o.Engine.Submit(ctx, c, &message.Request{Channel: gateway.SMS, IdempotencyKey: r.IdempotencyKey, Sandbox: r.Sandbox})
	if err != nil {
		return nil, err
	}
	return s.replayed(ctx, r, res)
}

// replayed is the challenge that a message was stored with.
func (s *Service) replayed(ctx context.Context, r *Request, res *delivery.Result) (*Issued, error) {
	ch, err := s.live(ctx, res.Message.ID)
	if err != nil {
		return nil, err
	}
	return &Issued{ChallengeID: ch.id, ExpiresAt: ch.expiresAt, Send: res, PayloadMismatch: ch.requestMAC != r.fingerprint(s.print)}, nil
}

// live is a message's challenge, while it lasts. A message that never was a code's has none.
func (s *Service) live(ctx context.Context, messageID string) (*challenge, error) {
	ch, err := ofMessage(s.o.DB.Read(ctx), messageID)
	if err != nil {
		return nil, err
	}
	if ch == nil || !s.o.Now().Before(ch.expiresAt) {
		return nil, fault.IdempotencyKeyUsed.Err()
	}
	return ch, nil
}

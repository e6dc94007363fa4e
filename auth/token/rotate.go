package token

import (
	"context"
	"time"

	"example.com/griot/internal/task"
)

// JWKSMaxAge is the time for which clients can cache the JWKS.
const JWKSMaxAge = 300 * time.Second

// The schedule of the rotation.
const (
	keyTime       = 90 * 24 * time.Hour
	leadTime      = 2*JWKSMaxAge + time.Minute // from publishing to signing; within the minute, every node sees it
	previousTime  = 24 * time.Hour             // published after it stopped signing (L126)
	maintainEvery = 5 * time.Second
)

// Run maintains the keys until ctx ends. Every node runs it, also to read the keys of other nodes before they sign.
func (s *Signer) Run(ctx context.Context) error {
	return task.Every(ctx, maintainEvery, s.Log, "maintaining the signing keys failed", s.Maintain)
}

// Maintain reads the keys and performs the steps that are due.
func (s *Signer) Maintain(ctx context.Context) error {
	if err := s.refresh(ctx); err != nil {
		return err
	}
	keys, now := s.keys.Load(), s.now()
	var err error
	switch {
	case keys.next != nil && !now.Before(keys.next.SignsAt()):
		err = s.activateNext(ctx, keys.active, keys.next, now)
	case keys.next == nil && !now.Before(keys.active.ActivatedAt.Add(keyTime-leadTime)):
		err = s.publish(ctx, keys.active, now)
	}
	if err != nil {
		return err
	}
	if err := s.retireExpired(ctx, now); err != nil {
		return err
	}
	return s.refresh(ctx)
}

// Rotate publishes a next key immediately, if there is none, and returns it. Run activates it at its SignsAt.
func (s *Signer) Rotate(ctx context.Context) (Key, error) {
	for {
		if err := s.refresh(ctx); err != nil {
			return Key{}, err
		}
		keys := s.keys.Load()
		if keys.next != nil {
			return *keys.next, nil
		}
		if err := s.publish(ctx, keys.active, s.now()); err != nil {
			return Key{}, err
		}
	}
}

// RotateEmergency generates a key that signs immediately. All others leave the JWKS,
// and from then on [Signer.Verify] refuses their tokens on every node. Another node
// might sign with the old key for a few more seconds, but those tokens are refused,
// too.
func (s *Signer) RotateEmergency(ctx context.Context) (Key, error) {
	for {
		if err := s.refresh(ctx); err != nil {
			return Key{}, err
		}
		now := s.now()
		fresh, err := generate(s.box, Active, now)
		if err != nil {
			return Key{}, err
		}
		done, err := s.replaceAll(ctx, s.keys.Load().active, fresh, now)
		if err != nil {
			return Key{}, err
		}
		if !done { // the keys were rotated in between
			continue
		}
		s.Log.Warn("signing keys replaced in an emergency", "kid", fresh.Kid)
		return *fresh, s.refresh(ctx)
	}
}

func (s *Signer) publish(ctx context.Context, active *Key, now time.Time) error {
	next, err := generate(s.box, Next, now)
	if err != nil {
		return err
	}
	done, err := s.insertNext(ctx, active, next)
	if done {
		s.Log.Info("signing key published", "kid", next.Kid, "signsAt", next.SignsAt())
	}
	return err
}

func (s *Signer) activateNext(ctx context.Context, active, next *Key, now time.Time) error {
	done, err := s.supersedeActive(ctx, active, next, now)
	if done {
		s.Log.Info("signing key rotated", "kid", next.Kid)
	}
	return err
}

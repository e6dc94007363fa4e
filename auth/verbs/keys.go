package verbs

import (
	"context"
	"time"

	"example.com/griot/auth/token"
	"example.com/griot/internal/verb"
)

// Key is a signing key as the operator sees it: without its private key.
type Key struct {
	Kid         string     `json:"kid" col:"KEY"`
	Status      string     `json:"status" col:"STATUS"`
	PublishedAt time.Time  `json:"publishedAt" col:"PUBLISHED"`
	SignsAt     time.Time  `json:"signsAt" col:"SIGNS FROM"` // start of signing, in the past or the future
	StoppedAt   *time.Time `json:"stoppedAt" col:"STOPPED"`  // end of signing
}

func newKey(k *token.Key) Key {
	return Key{Kid: k.Kid, Status: string(k.Status), PublishedAt: k.PublishedAt, SignsAt: k.SignsAt(), StoppedAt: verb.TimeOrNull(k.StoppedAt)}
}

func (s *service) listKeys(ctx context.Context, _ *Nothing) ([]Key, error) {
	found, err := s.signer.Keys(ctx)
	return verb.Each(found, newKey), err
}

// RotateInput is the input of keys.rotate.
type RotateInput struct {
	Emergency bool `json:"emergency" flag:"emergency" help:"replace a leaked key: a new key signs immediately, and older tokens are no longer valid"`
}

func (s *service) rotateKeys(ctx context.Context, in *RotateInput) (Key, error) {
	rotate := s.signer.Rotate
	if in.Emergency {
		rotate = s.signer.RotateEmergency
	}
	k, err := rotate(ctx)
	if err != nil {
		return Key{}, err
	}
	return newKey(&k), nil
}

package admin

import (
	"context"
	"time"

	"griot/auth/token"
)

// Key is a signing key as operators see it: nothing of its private half.
type Key struct {
	Kid         string     `json:"kid"`
	Status      string     `json:"status"`
	PublishedAt time.Time  `json:"publishedAt"`
	SignsAt     time.Time  `json:"signsAt"`   // when it begins to sign, or began
	StoppedAt   *time.Time `json:"stoppedAt"` // when it ceased to
}

func shownKey(k *token.Key) Key {
	return Key{Kid: k.Kid, Status: string(k.Status), PublishedAt: k.PublishedAt, SignsAt: k.SignsAt(), StoppedAt: orNull(k.StoppedAt)}
}

func (h *service) listKeys(ctx context.Context, _ *Nothing) ([]Key, error) {
	found, err := h.signer.Keys(ctx)
	return each(found, shownKey), err
}

// RotateInput is how the keys are rotated.
type RotateInput struct {
	Emergency bool `json:"emergency"`
}

func (h *service) rotateKeys(ctx context.Context, in *RotateInput) (Key, error) {
	rotate := h.signer.Rotate
	if in.Emergency {
		rotate = h.signer.RotateEmergency
	}
	k, err := rotate(ctx)
	if err != nil {
		return Key{}, err
	}
	return shownKey(&k), nil
}

package message

import (
	"encoding/base64"

	"example.com/griot/internal/seal"
)

// SweptKeysPurpose is that of the secret which [SweptKeys] are made with. It outlasts the master key: an idempotency key stays
// used for ever.
const SweptKeysPurpose = "swept-idempotency-keys"

// SweptKeys makes what is left of idempotency keys once their messages are swept or erased. A key may have a number in it, and
// of numbers there are few: without the secret nobody who has the database finds out which it was.
type SweptKeys struct{ secret *seal.Lasting }

// NewSweptKeys returns those of a master key.
func NewSweptKeys(k *seal.Key) *SweptKeys { return &SweptKeys{k.Lasting(SweptKeysPurpose)} }

// Hash returns what is left of an account's key.
func (s *SweptKeys) Hash(accountID, key string) string {
	const version = "1."
	mac := s.secret.MAC(accountID, key)
	return version + base64.RawURLEncoding.EncodeToString(mac[:len(mac)/2])
}

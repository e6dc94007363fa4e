package message

import (
	"encoding/base64"

	"example.com/griot/internal/seal"
)

// SweptKeysPurpose is the purpose of the secret for [SweptKeys]. The secret survives a change of the master key,
// because an idempotency key can never be used again.
const SweptKeysPurpose = "swept-idempotency-keys"

// SweptKeys creates the hashes of idempotency keys that remain after their messages are deleted or erased. A key
// might contain a phone number, and there are few numbers. Without the secret, no one with access to the database can
// find out the key.
type SweptKeys struct{ secret *seal.Lasting }

// NewSweptKeys returns the SweptKeys of a master key.
func NewSweptKeys(k *seal.Key) *SweptKeys { return &SweptKeys{k.Lasting(SweptKeysPurpose)} }

// Hash returns the remaining hash of an account's key.
func (s *SweptKeys) Hash(accountID, key string) string {
	const version = "1."
	mac := s.secret.MAC(accountID, key)
	return version + base64.RawURLEncoding.EncodeToString(mac[:len(mac)/2])
}

package resubmit

import (
	"encoding/base64"
	"time"

	"example.com/griot/internal/id"
)

// Time is how long after the first request a form succeeds again in the same browser.
const Time = 30 * time.Second

// Since returns the time after which the first request must have come for a second one to succeed.
func Since(now time.Time) time.Time { return now.Add(-Time) }

// Seeds are the random parts that the secret of a form can have in a browser, of 32 bytes each: one for each master key,
// as the MACs of a seal.Secret are, so that a second request is recognized while the master key changes. The first one
// makes the secret. Without any, the secret is random, and no second request is recognized.
type Seeds [][]byte

// First returns the seed of a new secret.
func (s Seeds) First() []byte {
	if len(s) > 0 {
		return s[0]
	}
	return id.Seed()
}

// Token writes a seed as a session's token: 43 characters of base64url.
func Token(seed []byte) string { return base64.RawURLEncoding.EncodeToString(seed) }

// Form is a form that makes something.
type Form struct {
	ID    string // an ID26, which becomes the id of what it makes; empty: any
	Seeds Seeds  // of the secret that it makes
}

package forms

import (
	"encoding/base64"
	"time"

	"example.com/griot/internal/id"
)

// RepeatTime is the time after the first request during which a form succeeds again in the same browser.
const RepeatTime = 30 * time.Second

// RepeatsSince returns the time after which the first request must have been received for a second one to succeed.
func RepeatsSince(now time.Time) time.Time { return now.Add(-RepeatTime) }

// Seeds are the random parts that the secret of a form can have in a browser, of 32 bytes each. There is one for each
// master key, like the MACs of a seal.Secret, so that a second request is recognized during a rotation of the master
// key. The secret is derived from the first seed. Without seeds, the secret is random, and no second request is
// recognized.
type Seeds [][]byte

// First returns the seed of a new secret.
func (s Seeds) First() []byte {
	if len(s) > 0 {
		return s[0]
	}
	return id.Seed()
}

// Token returns a session's token for a seed: 43 characters of base64url.
func Token(seed []byte) string { return base64.RawURLEncoding.EncodeToString(seed) }

// Creation is a form that creates an object.
type Creation struct {
	ID    string // an ID26, which becomes the id of the object; empty: any
	Seeds Seeds  // of the object's secret
}

package login

import (
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/limit"
)

// limits are the rate limits of a person's messages and proofs (docs/config.md has the table). Their key is
// [gateway.Inbound.Key].
type limits struct{ proofs, wrongWords, unreadable *limit.Limiter }

// newLimits returns the limits of the settings. Without settings, nothing is limited.
func newLimits(now clock.Now, s *limit.Settings) *limits {
	if s == nil {
		s = &limit.Settings{}
	}
	return &limits{proofs: s.ProofPhone.Limiter(now), wrongWords: s.GuessPhone.Limiter(now), unreadable: s.GuessPhone.Limiter(now)}
}

// checkProofs refuses a proof of a phone that has proved too many logins. Refused proofs don't count, because the phone is
// not responsible for those of a gateway.
func (l *limits) checkProofs(key string) error {
	if ok, retryAfter := l.proofs.Check(key); !ok {
		return apierror.AuthRateLimited.After(retryAfter)
	}
	return nil
}

// messageAllowed reports whether a person's message is read. It is not read after too many logins or too many wrong words.
func (l *limits) messageAllowed(key string) bool {
	proofs, _ := l.proofs.Check(key)
	guesses, _ := l.wrongWords.Check(key)
	return proofs && guesses
}

// countMessage counts a message of a person as an accepted one or as a guess.
func (l *limits) countMessage(key string, r messageResult) {
	switch {
	case r.accepted:
		l.proofs.Allow(key)
	case r.wrongWords:
		l.wrongWords.Allow(key)
	}
}

package oauth

import (
	"crypto/sha256"
	"encoding/base64"
)

// Limits of PKCE (RFC 7636 §4.1-4.2): a challenge is the base64url of a SHA-256.
const (
	challengeLength = 43
	minVerifier     = 43
	maxVerifier     = 128
)

// MethodS256 is the only code_challenge_method that the service supports.
const MethodS256 = "S256"

// ValidChallenge reports whether s is a valid code_challenge: ^[A-Za-z0-9_-]{43}$.
func ValidChallenge(s string) bool {
	return len(s) == challengeLength && only(s, "-_")
}

// ValidVerifier reports whether s is a valid code_verifier: 43 to 128 of the unreserved characters of a URI.
func ValidVerifier(s string) bool {
	return len(s) >= minVerifier && len(s) <= maxVerifier && only(s, "-._~")
}

// S256 returns the challenge of a verifier; "" for an empty verifier.
func S256(verifier string) string {
	if verifier == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// only reports whether s consists of ASCII letters, digits, and the characters of more.
func only(s, more string) bool {
	for i := range len(s) {
		c := s[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		default:
			found := false
			for j := range len(more) {
				found = found || more[j] == c
			}
			if !found {
				return false
			}
		}
	}
	return true
}

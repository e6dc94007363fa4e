package account

import (
	"hash/crc32"
	"strings"

	"example.com/griot/internal/id"
	"example.com/griot/internal/seal"
)

// A Kind is a kind of caller. It determines the caller's rights.
type Kind string

// The kinds of keys.
const (
	Live       Kind = "live"
	Test       Kind = "test"    // simulates every message
	ProjectKey Kind = "project" // only one project's messages

	Dashboard Kind = "dashboard" // not a key, but a person who is signed in
)

const (
	keyRandom  = 32
	keySum     = 6
	prefixSize = 14 // characters of a key that a dashboard can show
)

func (k Kind) prefix() string {
	switch k {
	case Live:
		return "svc_live_"
	case Test:
		return "svc_test_"
	case ProjectKey:
		return "svc_proj_"
	case Dashboard:
	}
	return ""
}

// newKey returns the key for a seed: the kind's prefix, 32 base62 characters, and 6 characters of checksum.
func newKey(kind Kind, seed []byte) string {
	body := kind.prefix() + id.Base62Of(seed, keyRandom)
	return body + checksum(body)
}

func checksum(body string) string {
	sum := crc32.ChecksumIEEE([]byte(body))
	var out [keySum]byte
	for i := range out {
		out[i] = id.Base62Digits[sum%62]
		sum /= 62
	}
	return string(out[:])
}

// wellFormed reports whether a text has the form of a key, without a database query.
func wellFormed(key string) bool {
	for _, k := range []Kind{Live, Test, ProjectKey} {
		if rest, ok := strings.CutPrefix(key, k.prefix()); ok && len(rest) == keyRandom+keySum {
			body := key[:len(key)-keySum]
			return seal.Equal(checksum(body), key[len(body):])
		}
	}
	return false
}

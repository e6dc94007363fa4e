package account

import (
	"hash/crc32"
	"strings"

	"example.com/griot/internal/id"
	"example.com/griot/internal/seal"
)

// Kind is what a key may do.
type Kind string

// The kinds of keys.
const (
	Live       Kind = "live"
	Test       Kind = "test"    // always the simulation
	ProjectKey Kind = "project" // one project's messages only

	Dashboard Kind = "dashboard" // no key: a person who is signed in
)

const (
	keyRandom  = 32
	keySum     = 6
	prefixSize = 14 // of a key, which a dashboard may show
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

// newKey returns the key of a seed: the kind's prefix, 32 base62 characters, and 6 of checksum.
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

// wellFormed reports whether a text can be a key at all, without asking the database.
func wellFormed(key string) bool {
	for _, k := range []Kind{Live, Test, ProjectKey} {
		if rest, ok := strings.CutPrefix(key, k.prefix()); ok && len(rest) == keyRandom+keySum {
			body := key[:len(key)-keySum]
			return seal.Equal(checksum(body), key[len(body):])
		}
	}
	return false
}

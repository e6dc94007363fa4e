package id

import (
	"crypto/rand"
	"encoding/base64"
	"math/big"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"
)

// Length is the number of characters of an ID26.
const Length = 26

// Prefixes of the messaging service's identifiers.
const (
	Message      = "msg_"
	Sandbox      = "sb_"
	Notification = "ntf_"
	Event        = "evt_"
	Conversation = "cnv_"
	Media        = "med_"
	Challenge    = "otp_"
	Erasure      = "era_"
)

const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// New returns an ID26 that sorts by now, with 80 random bits.
func New(now time.Time) string {
	var u ulid.ULID
	_ = u.SetTime(uint64(now.UnixMilli()))
	entropy.read(u[6:])
	return u.String()
}

// entropy contains the random bytes of the next IDs of [New].
var entropy pool

// pool reads random bytes for many IDs at once, because each read is a call of the kernel. It is safe for concurrent use.
type pool struct {
	mu   sync.Mutex
	next [1000]byte
	left int // unused bytes, at the end of next
}

func (p *pool) read(b []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.left < len(b) {
		_, _ = rand.Read(p.next[:]) // never fails, because crypto/rand ends the program instead
		p.left = len(p.next)
	}
	unused := p.next[len(p.next)-p.left:]
	copy(b, unused)
	clear(unused[:len(b)])
	p.left -= len(b)
}

// Sequence makes IDs as [New] does that also sort in the order of the calls if they are of the same millisecond. The zero
// value is ready. It is safe for concurrent use.
type Sequence struct {
	mu      sync.Mutex
	entropy *ulid.MonotonicEntropy
}

// New returns an ID26 that sorts by now, and after those that it has returned for the same millisecond since the last other
// one.
func (s *Sequence) New(now time.Time) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.entropy == nil {
		s.entropy = ulid.Monotonic(rand.Reader, 0)
	}
	u, err := ulid.New(uint64(now.UnixMilli()), s.entropy)
	if err != nil { // the random part was close to its maximum
		return New(now)
	}
	return u.String()
}

// First returns the smallest ID26 of a millisecond: no [New] of that millisecond is less.
func First(at time.Time) string {
	var u ulid.ULID
	_ = u.SetTime(uint64(at.UnixMilli()))
	return u.String()
}

// Random returns an ID26 of 130 random bits.
func Random() string {
	var b [Length]byte
	_, _ = rand.Read(b[:])
	return Encode(b[:])
}

// Encode writes the low five bits of each of the first 26 bytes of b as an ID26. b must have at least 26 bytes.
func Encode(b []byte) string {
	var out [Length]byte
	for i := range out {
		out[i] = crockford[b[i]&31]
	}
	return string(out[:])
}

// Token returns n random bytes as base64url without padding.
func Token(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b)
	return base64.RawURLEncoding.EncodeToString(b)
}

// Seed returns 32 random bytes.
func Seed() []byte {
	b := make([]byte, 32)
	_, _ = rand.Read(b)
	return b
}

// Base62Digits are the digits and the uppercase and lowercase letters.
const Base62Digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// Base62 returns n random base62 characters, all equally likely.
func Base62(n int) string {
	out := make([]byte, 0, n)
	var b [64]byte
	for len(out) < n {
		_, _ = rand.Read(b[:])
		for _, c := range b {
			if c < 4*62 && len(out) < n { // 256 isn't a multiple of 62
				out = append(out, Base62Digits[c%62])
			}
		}
	}
	return string(out)
}

// Base62Of returns n base62 characters that are derived from a seed. 32 bytes are enough for 40 characters.
func Base62Of(seed []byte, n int) string {
	rest, base, digit, out := new(big.Int).SetBytes(seed), big.NewInt(62), new(big.Int), make([]byte, n)
	for i := range out {
		rest.DivMod(rest, base, digit)
		out[i] = Base62Digits[digit.Int64()]
	}
	return string(out)
}

// Valid reports whether s is an ID26.
func Valid(s string) bool {
	if len(s) != Length {
		return false
	}
	for i := range len(s) {
		c := s[i]
		switch {
		case c >= '0' && c <= '9':
		case c >= 'A' && c <= 'Z' && c != 'I' && c != 'L' && c != 'O' && c != 'U':
		default:
			return false
		}
	}
	return true
}

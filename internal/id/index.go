package id

import (
	"crypto/rand"
	"encoding/binary"
	"math"
)

// Index returns a random number from 0 to n-1, all equally likely. n must be positive.
func Index(n int) int {
	bound := uint64(n)
	limit := math.MaxUint64 - math.MaxUint64%bound
	for {
		var b [8]byte
		_, _ = rand.Read(b[:])
		if v := binary.BigEndian.Uint64(b[:]); v < limit {
			return int(v % bound)
		}
	}
}

// Code returns a code of n random decimal digits. All codes are equally likely, except
// that the code of zeros never occurs, because it is the code of the sandbox.
func Code(n int) string {
	b := make([]byte, n)
	for {
		zeros := true
		for i := range b {
			b[i] = byte('0' + Index(10))
			zeros = zeros && b[i] == '0'
		}
		if !zeros {
			return string(b)
		}
	}
}

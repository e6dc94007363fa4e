package id

import (
	"crypto/rand"
	"encoding/binary"
	"math"
)

// Index returns a number from 0 to n-1, each as likely as the others. n is positive.
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

// Digits returns n random decimal digits, all equally likely.
func Digits(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte('0' + Index(10))
	}
	return string(b)
}

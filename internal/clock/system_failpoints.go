//go:build failpoints

package clock

import (
	"sync/atomic"
	"time"
)

var offset atomic.Int64

// Shift moves [System] ahead of the machine's clock. It is only in the program that tests build.
func Shift(by time.Duration) { offset.Store(int64(by)) }

// System returns the machine's time plus the offset of [Shift].
func System() time.Time {
	return time.Now().Add(time.Duration(offset.Load())).UTC().Truncate(time.Millisecond)
}

//go:build failpoints

package clock

import (
	"sync/atomic"
	"time"
)

var offset atomic.Int64

// Shift has [System] be ahead of the machine's clock from now on. It is only in the program that tests build.
func Shift(by time.Duration) { offset.Store(int64(by)) }

// System is the machine's clock, as far ahead as [Shift] says.
func System() time.Time {
	return time.Now().Add(time.Duration(offset.Load())).UTC().Truncate(time.Millisecond)
}

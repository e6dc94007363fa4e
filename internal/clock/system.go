//go:build !failpoints

package clock

import "time"

// System returns the machine's time in UTC and in whole milliseconds. The database has
// the same precision, so a time read back equals the time written.
func System() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }

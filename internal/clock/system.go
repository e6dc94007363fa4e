//go:build !failpoints

package clock

import "time"

// System is the machine's clock, in UTC and in whole milliseconds: the
// precision that the database keeps, so that a time read back equals the time written.
func System() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }

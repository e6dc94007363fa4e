package id

import (
	"time"

	"github.com/oklog/ulid/v2"
)

// Time returns the creation time of an ID26 of [New], to the millisecond; ok is false for an invalid ID26.
func Time(s string) (at time.Time, ok bool) {
	u, err := ulid.ParseStrict(s)
	if err != nil {
		return time.Time{}, false
	}
	return u.Timestamp(), true
}

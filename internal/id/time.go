package id

import (
	"time"

	"github.com/oklog/ulid/v2"
)

// Time returns when an ID26 of [New] was made, to the millisecond; ok is false for what is none.
func Time(s string) (at time.Time, ok bool) {
	u, err := ulid.ParseStrict(s)
	if err != nil {
		return time.Time{}, false
	}
	return u.Timestamp(), true
}

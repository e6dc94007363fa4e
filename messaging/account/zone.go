package account

import (
	"time"
	_ "time/tzdata" // servers in containers often have no zones of their own
)

const longestZone = 64

// ValidTimeZone reports whether a text is the IANA name of a time zone, such as Africa/Bamako.
func ValidTimeZone(name string) bool {
	if name == "" || name == "Local" || len(name) > longestZone {
		return false
	}
	_, err := time.LoadLocation(name)
	return err == nil
}

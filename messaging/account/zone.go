package account

import (
	_ "embed"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // servers in containers often have no time zone data
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

//go:embed zones.txt
var zones string

// TimeZones returns the names of the IANA time zones that belong to a place, and UTC. Go embeds the zones, but cannot list them.
var TimeZones = sync.OnceValue(func() []string { return strings.Fields(zones) })

// Location returns the account's time zone, or UTC if this program does not know it.
func (a *Account) Location() *time.Location {
	zone, err := time.LoadLocation(a.TimeZone)
	if err != nil {
		return time.UTC
	}
	return zone
}

package cloudapi

import (
	"fmt"
	"time"

	"example.com/griot/gateway"
)

// defaultVersion is the version of the Graph API without the setting api_version.
const defaultVersion = "v23.0"

// versionEnds are the days on which Meta ends versions of the Graph API (developers.facebook.com/docs/graph-api/changelog/versions).
// The end of newer versions isn't known yet; older ones have ended.
var versionEnds = map[string]time.Time{
	"v20.0": time.Date(2026, time.September, 24, 0, 0, 0, 0, time.UTC),
	"v21.0": time.Date(2027, time.January, 21, 0, 0, 0, 0, time.UTC),
	"v22.0": time.Date(2027, time.May, 20, 0, 0, 0, 0, time.UTC),
	"v23.0": time.Date(2027, time.October, 8, 0, 0, 0, 0, time.UTC),
	"v24.0": time.Date(2028, time.February, 18, 0, 0, 0, 0, time.UTC),
	"v25.0": time.Date(2028, time.July, 29, 0, 0, 0, 0, time.UTC),
}

const (
	oldestVersion = "v20.0" // of versionEnds
	endsSoon      = 90 * 24 * time.Hour
	standbyRecent = 7 * 24 * time.Hour
)

// Notices implements [gateway.Noticer]: the end of the version of the Graph API, and Meta's Business Agent.
func (s *sender) Notices() (all []gateway.Notice) {
	version, now := s.settings.APIVersion, s.now()
	ends, isKnown := versionEnds[version]
	if !isKnown && isOlder(version, oldestVersion) {
		ends, isKnown = versionEnds[oldestVersion], true
	}
	const hint = "set api_version to a newer version, or remove it and update Griot"
	switch {
	case !isKnown || ends.Sub(now) > endsSoon:
	case now.Before(ends):
		all = append(all, gateway.Notice{Text: fmt.Sprintf("Meta ends version %s of the Graph API on %s", version, ends.Format(time.DateOnly)), Hint: hint})
	default:
		all = append(all, gateway.Notice{Failed: true, Text: fmt.Sprintf("Meta has ended version %s of the Graph API", version), Hint: hint})
	}
	if at := time.Unix(0, s.standbyAt.Load()); now.Sub(at) < standbyRecent {
		all = append(all, gateway.Notice{
			Text: "Meta's Business Agent has conversations of its numbers, last seen at " + at.UTC().Format(time.RFC3339) + "; it also answers people who sign in",
			Hint: "disable the agent for numbers that people sign in with",
		})
	}
	return all
}

// isOlder reports whether a version of the form v23.0 is before another one.
func isOlder(version, other string) bool {
	number := func(v string) (major, minor int) {
		_, _ = fmt.Sscanf(v, "v%d.%d", &major, &minor) // checked when the settings are parsed
		return major, minor
	}
	major, minor := number(version)
	otherMajor, otherMinor := number(other)
	return major < otherMajor || major == otherMajor && minor < otherMinor
}

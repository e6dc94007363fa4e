// Package isotime parses dates and times in the common formats of ISO 8601.
package isotime

import (
	"errors"
	"math/bits"
	"slices"
	"strings"
	"time"
)

// The errors of [Parse]. Each is the end of a sentence that starts with the name of a field, and contains nothing of
// the text.
var (
	ErrForm  = errors.New("must be an ISO 8601 date and time, such as 2027-03-01T10:00:00Z")
	ErrWeek  = errors.New("must be a calendar date, such as 2027-03-01: week dates and ordinal dates aren't read")
	ErrMixed = errors.New("must have its date and its time both in the extended form (2027-03-01T10:00Z) or both in the basic form (20270301T1000Z)")
	ErrRange = errors.New("must be a date and time that exists, in the years 0000 to 9999")
	ErrGap   = errors.New("must be a time that exists: the clocks of the time zone skip it")
	ErrTwice = errors.New("must have an offset such as +01:00, because the clocks of the time zone show it twice")
)

// maxLength is the maximum length of a time, in characters.
const maxLength = 64

// Parse reads a time in UTC. The forms are:
//
//   - a calendar date, extended (2027-03-01) or basic (20270301), alone for the beginning of the day
//   - then T, and hours, minutes, and seconds, of which the later ones can be left out: 10, 10:00, 10:00:00; basic 1000, 100000
//   - a decimal fraction, with a dot or a comma, of the last of them: 10:00.5 is 30 seconds past ten
//   - then Z, or an offset such as +01:00, +0100, or +01; UTC without one
//
// T24:00:00 is the end of the day. A leap second (23:59:60 in UTC, at the end of a month) is the second after it. T and Z can be
// in lower case, as in RFC 3339.
//
// Errors: [ErrForm], [ErrWeek], [ErrMixed], [ErrRange].
func Parse(text string) (time.Time, error) { return ParseIn(text, time.UTC) }

// ParseIn is [Parse] with another zone for dates and for times without an offset. The result is in UTC. A date is the
// first moment of its day in the zone, which isn't always midnight.
//
// Further errors, for a time without an offset: [ErrGap], [ErrTwice].
func ParseIn(text string, zone *time.Location) (time.Time, error) {
	if len(text) > maxLength {
		return time.Time{}, ErrForm
	}
	date, clock, hasClock := strings.Cut(strings.ToUpper(text), "T")
	day, isBasic, err := parseDate(date)
	if err != nil {
		return time.Time{}, err
	}
	if !hasClock {
		return StartOfDay(day.Year(), day.Month(), day.Day(), zone), nil
	}
	c, err := parseClock(clock, isBasic)
	if err != nil {
		return time.Time{}, err
	}
	at := day.Add(c.sinceMidnight - c.offset)
	if !c.hasOffset {
		switch found := instants(at, zone); len(found) {
		case 0:
			return time.Time{}, ErrGap
		case 1:
			at = found[0]
		default:
			return time.Time{}, ErrTwice
		}
	}
	if c.isLeap {
		if y, m, d := at.Date(); at.Add(-time.Second).Month() == m || d != 1 || at.Sub(time.Date(y, m, d, 0, 0, 0, 0, time.UTC)) >= time.Second {
			return time.Time{}, ErrRange
		}
	}
	if at.Year() < 0 || at.Year() > 9999 {
		return time.Time{}, ErrRange
	}
	return at, nil
}

// instants returns the moments at which the clocks of a zone show a local time: one, none if they skip it, or two if they
// are set back. The local time is given as a time in UTC, and the moments are in UTC.
func instants(local time.Time, zone *time.Location) (found []time.Time) {
	for _, near := range []time.Duration{-24 * time.Hour, 24 * time.Hour} {
		_, offset := local.Add(near).In(zone).Zone()
		at := local.Add(-time.Duration(offset) * time.Second)
		if _, then := at.In(zone).Zone(); then == offset && !slices.ContainsFunc(found, at.Equal) {
			found = append(found, at)
		}
	}
	return found
}

// Layout is the format of times in the APIs and events: ISO 8601 in UTC, always with milliseconds, so that every client's
// parser gets one form. It is for times in UTC; see [Format].
const Layout = "2006-01-02T15:04:05.000Z"

// Format returns a time in the format of [Layout].
func Format(t time.Time) string { return t.UTC().Format(Layout) }

// StartOfDay returns the first moment of a day in a zone, in UTC. Like [time.Date], it normalizes days outside of the
// month. A day that the zone skipped starts with the next one.
func StartOfDay(year int, month time.Month, day int, zone *time.Location) time.Time {
	midnight := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	if found := instants(midnight, zone); len(found) > 0 {
		return found[0]
	}
	// The clocks skip midnight. With their new offset, midnight is before the change.
	_, offset := midnight.Add(24 * time.Hour).In(zone).Zone()
	_, start := midnight.Add(-time.Duration(offset) * time.Second).In(zone).ZoneBounds()
	return start.UTC()
}

// parseDate reads a calendar date.
func parseDate(s string) (day time.Time, isBasic bool, err error) {
	var year, month, dom int
	switch shape(s) {
	case "0000-00-00":
		year, month, dom = number(s[:4]), number(s[5:7]), number(s[8:])
	case "00000000":
		year, month, dom, isBasic = number(s[:4]), number(s[4:6]), number(s[6:]), true
	case "0000-W00-0", "0000-W00", "0000W000", "0000W00", "0000-000", "0000000":
		return time.Time{}, false, ErrWeek
	default:
		return time.Time{}, false, ErrForm
	}
	day = time.Date(year, time.Month(month), dom, 0, 0, 0, 0, time.UTC)
	if y, m, d := day.Date(); y != year || int(m) != month || d != dom {
		return time.Time{}, false, ErrRange
	}
	return day, isBasic, nil
}

// clock is the part of a time after its T.
type clock struct {
	sinceMidnight time.Duration // since midnight, local time
	hasOffset     bool
	offset        time.Duration // from UTC
	isLeap        bool          // the second is 60
}

func parseClock(s string, isBasic bool) (c clock, err error) {
	local := s
	if i := strings.IndexAny(s, "Z+-"); i >= 0 {
		local, c.hasOffset = s[:i], true
		if c.offset, err = parseOffset(s[i:]); err != nil {
			return c, err
		}
	}
	whole, fraction := local, ""
	if i := strings.IndexAny(local, ".,"); i >= 0 {
		whole, fraction = local[:i], local[i+1:]
		if fraction == "" || strings.Trim(fraction, "0123456789") != "" {
			return c, ErrForm
		}
	}
	var parts []int
	switch form := shape(whole); form {
	case "00", "00:00", "00:00:00", "0000", "000000":
		if form != "00" && isBasic == strings.Contains(form, ":") {
			return c, ErrMixed
		}
		digits := strings.ReplaceAll(whole, ":", "")
		for i := 0; i < len(digits); i += 2 {
			parts = append(parts, number(digits[i:i+2]))
		}
	default:
		return c, ErrForm
	}
	unit := [...]time.Duration{time.Hour, time.Minute, time.Second}
	for i, n := range parts {
		c.isLeap = c.isLeap || i == 2 && n == 60
		if most := [...]int{24, 59, 60}[i]; n > most {
			return c, ErrRange
		}
		c.sinceMidnight += time.Duration(n) * unit[i]
	}
	c.sinceMidnight += part(fraction, unit[len(parts)-1])
	if parts[0] == 24 && (c.sinceMidnight != 24*time.Hour || strings.Trim(fraction, "0") != "") {
		return c, ErrRange
	}
	return c, nil
}

func parseOffset(s string) (time.Duration, error) {
	digits := s[1:]
	switch shape(digits) {
	case "":
		if s == "Z" {
			return 0, nil
		}
		return 0, ErrForm
	case "00:00", "0000", "00":
		digits = strings.ReplaceAll(digits, ":", "") + "00"
	default:
		return 0, ErrForm
	}
	hours, minutes := number(digits[:2]), number(digits[2:4])
	if s[0] == 'Z' {
		return 0, ErrForm
	}
	if hours > 23 || minutes > 59 {
		return 0, ErrRange
	}
	offset := time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute
	if s[0] == '-' {
		offset = -offset
	}
	return offset, nil
}

// part returns a decimal fraction of a unit. Digits beyond the eighteenth are ignored, because they
// are less than a nanosecond.
func part(fraction string, unit time.Duration) time.Duration {
	const most = 18
	n, scale := uint64(0), uint64(1)
	for i := range min(len(fraction), most) {
		n, scale = n*10+uint64(fraction[i]-'0'), scale*10
	}
	hi, lo := bits.Mul64(n, uint64(unit))
	nanoseconds, _ := bits.Div64(hi, lo, scale)
	return time.Duration(nanoseconds)
}

// shape returns a text with each digit replaced by 0.
func shape(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return '0'
		}
		return r
	}, s)
}

// number returns the value of digits.
func number(digits string) (n int) {
	for i := range len(digits) {
		n = n*10 + int(digits[i]-'0')
	}
	return n
}

package console

import (
	"strconv"
	"strings"
	"time"

	"example.com/griot/internal/isotime"
)

// ParseTime reads a time that a person typed, or that [Time] or [Clock] printed. Besides the forms of [isotime.Parse],
// it reads a space instead of the T, a name of this machine's zone or UTC behind the time, a clock time of today, and
// a month and day of this year with a clock time. A time without a zone is in this machine's. With past, a time
// without its day or year is the latest that has passed. The errors are those of [isotime.ParseIn].
func ParseTime(text string, now time.Time, past bool) (time.Time, error) {
	local := now.Local()
	words := strings.Fields(text)
	earlier := "" // the previous day with the same text
	switch {
	case len(words) > 0 && strings.Contains(words[0], ":") && !strings.ContainsAny(words[0], "Tt"):
		words, earlier = append([]string{local.Format(time.DateOnly)}, words...), local.AddDate(0, 0, -1).Format(time.DateOnly)
	case len(words) > 1 && len(words[0]) == len("01-02"):
		earlier, words[0] = strconv.Itoa(local.Year()-1)+"-"+words[0], strconv.Itoa(local.Year())+"-"+words[0]
	}
	var zone string
	switch {
	case len(words) == 3:
		zone, words = words[2], words[:2]
	case len(words) > 3 || len(words) == 0:
		return time.Time{}, isotime.ErrForm
	}
	at, err := inZone(strings.Join(words, "T"), zone)
	if err == nil && past && earlier != "" && at.After(now) {
		return inZone(earlier+"T"+words[1], zone)
	}
	return at, err
}

// inZone reads a time with the text behind it: empty, an offset, or the name of a zone.
func inZone(text, zone string) (time.Time, error) {
	switch {
	case zone == "":
		return isotime.ParseIn(text, time.Local) //nolint:gosmopolitan // people type the time of their clock
	case zone == "UTC" || zone == "GMT":
		return isotime.Parse(text + "Z")
	case strings.ContainsAny(zone[:1], "+-"):
		return isotime.Parse(text + zone)
	}
	at, err := isotime.Parse(text + "Z")
	for _, near := range []time.Duration{-24 * time.Hour, 24 * time.Hour} {
		name, offset := at.Add(near).Local().Zone()
		if then := at.Add(-time.Duration(offset) * time.Second); err == nil && name == zone && then.Local().Format("MST") == zone {
			return then, nil
		}
	}
	if err == nil {
		err = isotime.ErrForm
	}
	return time.Time{}, err
}

// Time formats a time in this machine's zone, with the zone's name. A zero time is empty.
func Time(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Local().Format("2006-01-02 15:04:05.000 MST")
}

// Clock formats times for a column of a table whose header names the zone: only the time for those of today, and
// otherwise also the day. In a pipe, where width is 0, it formats complete times.
type Clock struct {
	Width   int
	Now     time.Time
	Precise bool // with milliseconds
}

// Head returns the header of the column.
func (c Clock) Head() string {
	if c.Width == 0 {
		return "AT"
	}
	return "AT (" + c.Now.Local().Format("MST") + ")"
}

// Cell formats a time.
func (c Clock) Cell(t time.Time) string {
	at, now := t.Local(), c.Now.Local()
	switch {
	case t.IsZero():
		return ""
	case c.Width == 0:
		return at.Format("2006-01-02T15:04:05.000Z07:00")
	case at.Format(time.DateOnly) == now.Format(time.DateOnly):
		if c.Precise {
			return at.Format("15:04:05.000")
		}
		return at.Format(time.TimeOnly)
	case at.Year() == now.Year():
		return at.Format("01-02 15:04")
	}
	return at.Format(time.DateOnly)
}

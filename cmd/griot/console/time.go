package console

import "time"

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

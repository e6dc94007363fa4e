package i18n

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Number formats 12480 as "12,480", in French with narrow spaces.
func (l Lang) Number(n int64) string {
	digits := strconv.FormatInt(n, 10)
	var b strings.Builder
	for i, digit := range digits {
		if i > 0 && digits[i-1] != '-' && (len(digits)-i)%3 == 0 {
			if l == FR {
				b.WriteRune('\u202f')
			} else {
				b.WriteByte(',')
			}
		}
		b.WriteRune(digit)
	}
	return b.String()
}

// Decimal formats a number with one digit after the decimal mark.
func (l Lang) Decimal(f float64) string {
	return strings.Replace(strconv.FormatFloat(f, 'f', 1, 64), ".", l.T("format.decimal"), 1)
}

// Percent formats a part of a whole as a percentage: 94.1%, and 0% and 100% for nothing and all. If the whole is zero,
// it is a dash.
func (l Lang) Percent(part, whole int64) string {
	text := "0"
	switch {
	case whole == 0:
		return "–"
	case part == whole:
		text = "100"
	case part != 0:
		text = l.Decimal(float64(part) / float64(whole) * 100)
	}
	return l.T("format.percent", text)
}

// Date formats a day for use in a sentence, in the time's own time zone.
func (l Lang) Date(at time.Time) string { return at.Format(l.T("format.date")) }

// Day formats a day for the axis of a chart, in the time's own time zone.
func (l Lang) Day(at time.Time) string { return at.Format(l.T("format.day")) }

// Wait returns a sentence with the time until a refused request can be sent again; empty for no time.
func (l Lang) Wait(d time.Duration) string {
	switch {
	case d <= 0:
		return ""
	case d <= 2*time.Minute:
		return l.T("wait.seconds", int64(math.Ceil(d.Seconds())))
	case d <= 2*time.Hour:
		return l.T("wait.minutes", int64(math.Ceil(d.Minutes())))
	}
	return l.T("wait.hours", int64(math.Ceil(d.Hours())))
}

// Moment formats a time to the minute, in its own time zone, with the zone's name.
func (l Lang) Moment(at time.Time) string { return at.Format(l.T("format.moment")) }

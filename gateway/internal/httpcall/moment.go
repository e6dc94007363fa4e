package httpcall

import (
	"log/slog"
	"strconv"
	"strings"
	"time"
)

// Moment is the time that a provider reports, as it came. It is read late, so that a report isn't lost because of its time.
type Moment string

// UnmarshalJSON implements [json.Unmarshaler], like that of [Word].
func (m *Moment) UnmarshalJSON(b []byte) error { return (*Word)(m).UnmarshalJSON(b) }

// earliest is the time before which no report can have been made. Earlier times come from clocks that were never set.
var earliest = time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC)

// Read returns the time in UTC: of one of the layouts, of RFC 3339, or a Unix time in seconds, milliseconds,
// microseconds, or nanoseconds. If there is none, it is before the year 2000, or it is more than a day ahead of now,
// Read returns now and false: the caller uses the time of arrival and logs it.
func (m Moment) Read(now time.Time, layouts ...string) (at time.Time, ok bool) {
	at, ok = parseMoment(strings.TrimSpace(string(m)), layouts)
	if !ok || at.Before(earliest) || at.After(now.Add(24*time.Hour)) {
		return now, false
	}
	return at.UTC(), true
}

// Or returns the time like [Moment.Read]. It logs a warning if the time of arrival replaces it.
func (m Moment) Or(now time.Time, log *slog.Logger, layouts ...string) time.Time {
	at, ok := m.Read(now, layouts...)
	if !ok {
		log.Warn("a report has no plausible time: the time of its arrival replaces it")
	}
	return at
}

func parseMoment(text string, layouts []string) (at time.Time, ok bool) {
	for _, layout := range append(layouts, time.RFC3339Nano) {
		if at, err := time.Parse(layout, text); err == nil {
			return at, true
		}
	}
	whole, fraction, _ := strings.Cut(text, ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || strings.Trim(fraction, "0123456789") != "" {
		f, err := strconv.ParseFloat(text, 64) // such as 1.7e12
		if err != nil || !(f >= 0 && f < 1<<63) {
			return time.Time{}, false
		}
		n = int64(f)
	}
	switch { // each unit until the year 5138
	case n < 1e11:
		return time.Unix(n, 0), true
	case n < 1e14:
		return time.UnixMilli(n), true
	case n < 1e17:
		return time.UnixMicro(n), true
	}
	return time.Unix(0, n), true
}

package api

import (
	"time"

	"example.com/griot/internal/fault"
)

// Times on the wire: ISO 8601 in UTC with milliseconds.
const timeFormat = "2006-01-02T15:04:05.000Z"

// Times are read in these forms of ISO 8601; without an offset they are UTC.
func timeForms() []string {
	return []string{
		time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02T15:04Z07:00", "2006-01-02T15:04", "2006-01-02",
		"2006-01-02T15:04:05Z0700", "2006-01-02T15:04Z0700", "2006-01-02T15:04:05Z07", "2006-01-02T15:04Z07",
	}
}

// parseTime reads an optional time; the zero time when it is absent.
func parseTime(field string, s *string) (time.Time, error) {
	if s == nil {
		return time.Time{}, nil
	}
	for _, form := range timeForms() {
		if t, err := time.Parse(form, *s); err == nil {
			return t.UTC().Truncate(time.Millisecond), nil
		}
	}
	return time.Time{}, fault.InvalidRequest.On(field).Detailf("%s must be an ISO 8601 date and time.", field)
}

func formatTime(t time.Time) string { return t.UTC().Format(timeFormat) }

func formatTimeOrNull(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	return textOrNull(formatTime(t))
}

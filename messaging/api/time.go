package api

import (
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/fault"
	"example.com/griot/internal/isotime"
)

// The format of times in the API: ISO 8601 in UTC with milliseconds.
const timeFormat = "2006-01-02T15:04:05.000Z"

// parseTime parses an optional time. It returns the zero time if the time is missing.
func parseTime(field string, s *string) (time.Time, error) {
	if s == nil {
		return time.Time{}, nil
	}
	t, err := isotime.Parse(*s)
	if err != nil {
		return time.Time{}, fault.InvalidRequest.On(field).Detailf("%s %v.", field, err)
	}
	return t.Truncate(time.Millisecond), nil
}

// millisOrNull returns a time in Unix milliseconds, or nil for the zero time.
func millisOrNull(t time.Time) *int64 {
	if t.IsZero() {
		return nil
	}
	return new(db.Ms(t))
}

func formatTime(t time.Time) string { return t.UTC().Format(timeFormat) }

func formatTimeOrNull(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	return textOrNull(formatTime(t))
}

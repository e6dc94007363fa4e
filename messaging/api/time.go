package api

import (
	"strings"
	"time"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/isotime"
)

// parseTime parses an optional time. It returns the zero time if the time is missing.
func parseTime(field string, s *string) (time.Time, error) {
	if s == nil {
		return time.Time{}, nil
	}
	t, err := isotime.Parse(*s)
	if err != nil {
		return time.Time{}, apierror.InvalidRequest.On(field).Detailf("%s %v.", field, err)
	}
	return t.Truncate(time.Millisecond), nil
}

// parseEnd parses the optional end of a period. A date includes its whole day, in UTC.
func parseEnd(field string, s *string) (time.Time, error) {
	t, err := parseTime(field, s)
	if err == nil && s != nil && !strings.ContainsAny(*s, "Tt") {
		t = t.AddDate(0, 0, 1)
	}
	return t, err
}

// millisOrNull returns a time in Unix milliseconds, or nil for the zero time.
func millisOrNull(t time.Time) *int64 {
	if t.IsZero() {
		return nil
	}
	return new(t.UnixMilli())
}

func formatTime(t time.Time) string { return isotime.Format(t) }

func formatTimeOrNull(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	return textOrNull(formatTime(t))
}

package api

import "time"

// timeFormat: ISO 8601 in UTC, always with milliseconds, so that every client's parser gets one form.
const timeFormat = "2006-01-02T15:04:05.000Z"

// formatTime is a time in an answer.
func formatTime(t time.Time) string { return t.UTC().Format(timeFormat) }

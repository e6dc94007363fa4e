package api

import "time"

// timeFormat is ISO 8601 in UTC, always with milliseconds, so that every client's parser gets one form.
const timeFormat = "2006-01-02T15:04:05.000Z"

// formatTime returns a time in the format of responses.
func formatTime(t time.Time) string { return t.UTC().Format(timeFormat) }

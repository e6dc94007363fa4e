package api

import (
	"time"

	"example.com/griot/internal/isotime"
)

// formatTime returns a time in the format of responses.
func formatTime(t time.Time) string { return isotime.Format(t) }

package api

import (
	"bytes"
	"encoding/json"
	"time"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/strictjson"
	"example.com/griot/messaging/message"
)

// A retryBody is the object form of retry.
type retryBody struct {
	MaxAttempts *int   `json:"maxAttempts"`
	DelayMs     *int64 `json:"delayMs"`
}

// parseRetry parses retry: a Boolean, or an object whose fields have defaults. Numbers out of bounds stay out of bounds.
func parseRetry(raw json.RawMessage) (message.Retry, error) {
	standard := message.Retry{Max: message.DefaultAttempts, Delay: message.DefaultRetryDelay.Milliseconds()}
	switch raw = bytes.TrimSpace(raw); string(raw) {
	case "", "null", "false":
		return message.Retry{}, nil
	case "true":
		return standard, nil
	}
	var b retryBody
	if raw[0] != '{' || strictjson.Unmarshal(raw, &b) != nil {
		return message.Retry{}, apierror.InvalidRequest.On("retry").Detailf("retry must be true, false, or an object with maxAttempts and delayMs.")
	}
	if b.MaxAttempts != nil {
		if standard.Max = *b.MaxAttempts; standard.Max == 0 {
			standard.Max = -1 // also out of bounds; 0 means that retry is missing
		}
	}
	if b.DelayMs != nil {
		standard.Delay = *b.DelayMs
	}
	return standard, nil
}

// fallbackAfter returns an optional number of seconds, or 0 if it is missing. A number out of bounds stays out of bounds.
func fallbackAfter(seconds *int64) time.Duration {
	switch {
	case seconds == nil:
		return 0
	case *seconds < 1:
		return -1
	}
	return time.Duration(min(*seconds, int64(message.MaxFallbackAfter/time.Second)+1)) * time.Second
}

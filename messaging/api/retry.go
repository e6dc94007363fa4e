package api

import (
	"bytes"
	"encoding/json"
	"time"

	"example.com/griot/internal/fault"
	"example.com/griot/internal/strictjson"
	"example.com/griot/messaging/message"
)

// retryBody is the object form of retry.
type retryBody struct {
	MaxAttempts *int   `json:"maxAttempts"`
	DelayMs     *int64 `json:"delayMs"`
}

// parseRetry reads retry: a boolean, or an object whose members have defaults.
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
		return message.Retry{}, fault.InvalidRequest.On("retry").Detailf("retry is true, false, or an object with maxAttempts and delayMs.")
	}
	if b.MaxAttempts != nil {
		standard.Max = *b.MaxAttempts
	}
	if b.DelayMs != nil {
		standard.Delay = *b.DelayMs
	}
	if standard.Max < 1 {
		return message.Retry{}, fault.InvalidRequest.On("retry").Detailf("retry.maxAttempts is 1 to %d.", message.MaxAttempts)
	}
	return standard, nil
}

// parseSeconds reads an optional whole number of seconds, 1 to most; 0 when it is absent.
func parseSeconds(field string, n *int64, most time.Duration) (time.Duration, error) {
	if n == nil {
		return 0, nil
	}
	if *n < 1 || *n > int64(most/time.Second) {
		return 0, fault.InvalidRequest.On(field).Detailf("%s is 1 to %d seconds.", field, int64(most/time.Second))
	}
	return time.Duration(*n) * time.Second, nil
}

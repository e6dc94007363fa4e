package griot

import (
	"context"
	"time"
)

// CodeStats counts the one-time codes of the last 24 hours, by country.
type CodeStats struct {
	Answer
	Since     time.Time      `json:"since"`
	Complete  bool           `json:"complete"`  // false where codes went to more prefixes than are counted
	Countries []CountryCodes `json:"countries"` // the one with the most codes first
	Held      []HeldPrefix   `json:"held"`      // to which no codes go for now
}

// CountryCodes counts the codes to one country.
type CountryCodes struct {
	Country       string `json:"country"` // its calling code
	Sent          int64  `json:"sent"`
	Delivered     int64  `json:"delivered"`
	Verified      int64  `json:"verified"`
	MedianSeconds *int64 `json:"medianSeconds"` // from the request until it was verified; nil: none was
}

// HeldPrefix is the beginning of numbers to which no codes go, because too few of the latest were verified.
type HeldPrefix struct {
	Prefix   string    `json:"prefix"`
	Country  string    `json:"country"`
	Sent     int64     `json:"sent"`
	Verified int64     `json:"verified"`
	Since    time.Time `json:"since"`
	Until    time.Time `json:"until"`
	Reason   string    `json:"reason"`
}

// CodeStats counts the account's one-time codes. A project's key has no access.
func (c *Client) CodeStats(ctx context.Context) (*CodeStats, error) {
	return get[CodeStats](ctx, c, "/api/otp/stats", nil)
}

package griot

import (
	"context"
	"time"
)

// CodeStats counts the one-time codes of the last 24 hours by country.
type CodeStats struct {
	Answer
	Since     time.Time      `json:"since"`
	Complete  bool           `json:"complete"`  // false if there were codes to more prefixes than the service counts
	Countries []CountryCodes `json:"countries"` // sorted by number of codes, highest first
	Held      []HeldPrefix   `json:"held"`      // prefixes that codes are blocked to
}

// CountryCodes counts the codes sent to one country.
type CountryCodes struct {
	Country       string `json:"country"` // the calling code
	Sent          int64  `json:"sent"`
	Delivered     int64  `json:"delivered"`
	Verified      int64  `json:"verified"`
	MedianSeconds *int64 `json:"medianSeconds"` // median time from request to verification; nil: no code was verified
}

// A HeldPrefix is a number prefix that codes are blocked to because too few of the latest codes were verified.
type HeldPrefix struct {
	Prefix   string    `json:"prefix"`
	Country  string    `json:"country"`
	Sent     int64     `json:"sent"`
	Verified int64     `json:"verified"`
	Since    time.Time `json:"since"`
	Until    time.Time `json:"until"`
	Reason   string    `json:"reason"`
}

// CodeStats counts the account's one-time codes. Project keys have no access.
func (c *Client) CodeStats(ctx context.Context) (*CodeStats, error) {
	return get[CodeStats](ctx, c, "/api/otp/stats", nil)
}

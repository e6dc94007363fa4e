package limit

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"example.com/griot/internal/clock"
)

// Rate limits an action to a number of times in a period, with a burst of the same size. Its zero value is no limit.
type Rate struct {
	Times  int
	Period time.Duration
}

// Bounds of a rate.
const (
	maxTimes             = 1_000_000
	minPeriod, maxPeriod = time.Second, 24 * time.Hour
)

// Limiter returns a limiter that enforces the rate; nil if there is none.
func (r Rate) Limiter(now clock.Now) *Limiter {
	if r.Times == 0 {
		return nil
	}
	return New(now, r.Times, r.Period, r.Times)
}

// UnmarshalText parses a rate in the format of the settings: 30/1m, 5/10m, or 0 for no limit.
func (r *Rate) UnmarshalText(text []byte) error {
	if string(text) == "0" {
		*r = Rate{}
		return nil
	}
	times, period, _ := strings.Cut(string(text), "/")
	n, errTimes := strconv.Atoi(times)
	p, errPeriod := time.ParseDuration(period)
	if errTimes != nil || errPeriod != nil || n < 1 || n > maxTimes || p < minPeriod || p > maxPeriod {
		return errors.New("a rate is a number of times and a period of 1s to 24h, such as 30/1m; 0 is no limit")
	}
	*r = Rate{n, p}
	return nil
}

// String returns a rate in the format of UnmarshalText.
func (r Rate) String() string {
	if r.Times == 0 {
		return "0"
	}
	period := r.Period.String()
	if strings.HasSuffix(period, "m0s") {
		period = strings.TrimSuffix(period, "0s")
	}
	if strings.HasSuffix(period, "h0m") {
		period = strings.TrimSuffix(period, "0m")
	}
	return strconv.Itoa(r.Times) + "/" + period
}

package webhook

import (
	"math/rand/v2"
	"time"

	"example.com/griot/internal/breaker"
)

// Timing is the schedule of deliveries and their time limits.
type Timing struct {
	Schedule []time.Duration // the wait before each attempt
	Timeout  time.Duration   // of an attempt
	Breaker  breaker.Limits
	GiveUp   time.Duration // an endpoint that fails for this long is disabled
	Gap      time.Duration // failures further apart than this are not one continuous failure
}

// StandardTiming is the timing of production.
func StandardTiming() Timing {
	return Timing{
		Schedule: []time.Duration{
			0, 5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
		},
		Timeout: 15 * time.Second, GiveUp: 5 * 24 * time.Hour, Gap: 48 * time.Hour,
		Breaker: breaker.Limits{Window: time.Minute, MinAttempts: 10, FailureRatio: 0.7, FirstPause: 30 * time.Second, MaxPause: 15 * time.Minute},
	}
}

// ShortTiming is the timing of development: the same number of attempts within a minute and a half.
func ShortTiming() Timing {
	t := StandardTiming()
	t.Schedule = []time.Duration{0, time.Second, 2 * time.Second}
	for len(t.Schedule) < 10 {
		t.Schedule = append(t.Schedule, min(time.Duration(len(t.Schedule)-2)*5*time.Second, 10*time.Second))
	}
	t.Breaker.FirstPause, t.Breaker.MaxPause = time.Second, 5*time.Second
	return t
}

// MaxRetryAfter is the longest delay that an endpoint can request.
const MaxRetryAfter = 24 * time.Hour

// Next returns the time to wait after a number of failed attempts: the schedule's time plus or minus 20 %, and at
// least the delay that the endpoint requested. ok is false if there are no more attempts.
func (t Timing) Next(failures int, asked time.Duration) (wait time.Duration, ok bool) {
	if failures >= len(t.Schedule) {
		return 0, false
	}
	wait = t.Schedule[failures]
	if spread := int64(wait) * 2 / 5; spread > 0 {
		wait += time.Duration(rand.Int64N(spread) - spread/2)
	}
	return max(wait, min(asked, MaxRetryAfter)), true
}

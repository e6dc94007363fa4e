package webhook

import (
	"math/rand/v2"
	"time"
)

// Timing is when deliveries are tried, and how long they may take.
type Timing struct {
	Schedule  []time.Duration // before each try, after the one before
	Timeout   time.Duration   // of a try
	Pause     time.Duration   // the breaker's first pause
	PauseMost time.Duration   // it doubles up to this
	GiveUp    time.Duration   // an endpoint that fails for as long is disabled
	Gap       time.Duration   // failures further apart than this are not one spell of failing
}

// StandardTiming is the timing of production (DESIGN §10).
func StandardTiming() Timing {
	return Timing{
		Schedule: []time.Duration{
			0, 5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
		},
		Timeout: 15 * time.Second, Pause: 30 * time.Second, PauseMost: 15 * time.Minute, GiveUp: 5 * 24 * time.Hour, Gap: 48 * time.Hour,
	}
}

// ShortTiming is the timing of development: as many tries, within a minute and a half.
func ShortTiming() Timing {
	t := StandardTiming()
	t.Schedule = []time.Duration{0, time.Second, 2 * time.Second}
	for len(t.Schedule) < 10 {
		t.Schedule = append(t.Schedule, min(time.Duration(len(t.Schedule)-2)*5*time.Second, 10*time.Second))
	}
	t.Pause, t.PauseMost = time.Second, 5*time.Second
	return t
}

// MaxRetryAfter is the most that an endpoint can ask to wait.
const MaxRetryAfter = 24 * time.Hour

// Next is how long to wait after the tries that have failed, give or take 20 %,
// and not less than the endpoint asked for; ok is false when there are no more.
func (t Timing) Next(tries int, asked time.Duration) (wait time.Duration, ok bool) {
	if tries >= len(t.Schedule) {
		return 0, false
	}
	wait = t.Schedule[tries]
	if spread := int64(wait) * 2 / 5; spread > 0 {
		wait += time.Duration(rand.Int64N(spread) - spread/2)
	}
	return max(wait, min(asked, MaxRetryAfter)), true
}

package cloudapi

import (
	"sync"
	"time"
)

// Providers block a number's queries of media for half an hour or longer after a number of failed ones: 360dialog after 20
// within an hour (docs.360dialog.com, "Upload, retrieve or delete media", November 2026). Griot therefore stops before, so
// that two nodes together stay below that limit.
const (
	failedQueries = 9
	failedWithin  = time.Hour
)

// mediaBudget counts the failed queries of media by our number. It is safe for concurrent use.
type mediaBudget struct {
	mu     sync.Mutex
	failed map[string][]time.Time // of the last hour, oldest first
}

// wait returns the time until a number can ask again, or 0.
func (b *mediaBudget) wait(number string, now time.Time) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	times := b.failed[number]
	for len(times) > 0 && now.Sub(times[0]) >= failedWithin {
		times = times[1:]
	}
	if len(times) == 0 {
		delete(b.failed, number)
		return 0
	}
	if b.failed[number] = times; len(times) < failedQueries {
		return 0
	}
	return times[0].Add(failedWithin).Sub(now)
}

// fail counts a failed query. Queries that were under way at the same time can exceed the limit a little.
func (b *mediaBudget) fail(number string, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failed == nil {
		b.failed = map[string][]time.Time{}
	}
	b.failed[number] = append(b.failed[number], now)
}

package stats

import (
	"context"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/quota"
)

// Bounds of a sample.
const (
	MinSample     = 50
	DefaultSample = 200
	MaxSample     = 500
)

const (
	maxErrors = 10
	dayFormat = time.DateOnly
)

// Summary is the statistics of a sample of messages. Simulated messages are counted in
// Size and ByStatus only, because no channel has delivered them.
type Summary struct {
	Size      int                          // messages looked at
	From, To  time.Time                    // when the oldest and the newest of them were accepted; zero without any
	ByStatus  map[message.Status]int       // every status is there
	ByChannel map[gateway.Channel]*Channel // every channel is there

	DeliveryRate *float64 // delivered, of those that a gateway took
	ReadRate     *float64 // read, of those that were delivered
	FailureRate  *float64 // failed or expired, of those that came to an end or a gateway took
	FallbackRate *float64 // delivered on another channel or by another sender than the first, of all

	Sent      Percentiles // from acceptance, or its scheduled time, until the gateway took it
	Delivered Percentiles // and until it was delivered
	Errors    []Error     // the most frequent first
	Days      []Day       // the oldest first; UTC

	Used  int64 // of today's quota
	Limit int64 // 0: none
}

// Channel counts the messages of one channel. A message that was read was also delivered, and sent.
type Channel struct{ Total, Sent, Delivered, Read, Failed int }

// Percentiles are times that so many percent of the messages did not exceed, by the nearest rank; nil without messages.
type Percentiles struct{ P50, P95, P99 *time.Duration }

// Error is a reason why messages failed.
type Error struct {
	Code  string
	Count int
}

// Day counts the messages that were accepted on a UTC day.
type Day struct {
	Date                     string // 2006-01-02
	Total, Delivered, Failed int
}

// Stats makes summaries and series.
type Stats struct {
	DB  *db.DB
	Now clock.Now
}

// Summarize summarizes the newest n messages of an account, or the newest simulated ones.
func (s *Stats) Summarize(ctx context.Context, a *account.Account, n int, simulated bool) (*Summary, error) {
	q := s.DB.Read(ctx)
	list, err := newest(q, a.ID, n, simulated)
	if err != nil {
		return nil, err
	}
	sum, err := summarize(list)
	if err != nil {
		return nil, err
	}
	sum.Limit = a.Plan.DailyLimit
	sum.Used, err = quota.Used(q, a.ID, quota.Day(s.Now()))
	return sum, err
}

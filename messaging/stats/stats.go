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

// Limits of a sample.
const (
	MinSample     = 50
	DefaultSample = 200
	MaxSample     = 500
)

const (
	maxErrors = 10
	dayFormat = time.DateOnly

	monthFormat = "2006-01"
)

// A Summary contains the statistics of a sample of messages. Simulated messages are counted in Size and ByStatus
// only, because no channel has delivered them.
type Summary struct {
	Size      int                          // number of messages examined
	From, To  time.Time                    // the times at which the oldest and the newest of them were accepted; zero without messages
	ByStatus  map[message.Status]int       // contains every status
	ByChannel map[gateway.Channel]*Channel // contains every channel

	DeliveryRate *float64 // delivered messages, as a share of those accepted by a gateway
	ReadRate     *float64 // read messages, as a share of those delivered
	FailureRate  *float64 // failed or expired messages, as a share of those that ended or were accepted by a gateway
	FallbackRate *float64 // messages sent on another channel or with another sender than first tried, as a share of all

	Sent      Percentiles // from acceptance, or from the scheduled time, until the gateway accepted it
	Delivered Percentiles // and until it was delivered
	Errors    []Error     // most frequent first
	Days      []Day       // oldest first, in UTC

	Used  int64 // toward today's quota
	Limit int64 // 0: unlimited
}

// A Channel counts the messages of one channel. A read message is also counted as delivered and sent.
type Channel struct{ Total, Sent, Delivered, Read, Failed int }

// Percentiles are the durations that the given percentage of the messages did not exceed, by the nearest rank. They
// are nil without messages.
type Percentiles struct{ P50, P95, P99 *time.Duration }

// An Error is a reason for failed messages.
type Error struct {
	Code  string
	Count int
}

// A Day counts the messages that were accepted on a UTC day.
type Day struct {
	Date                     string // 2006-01-02
	Total, Delivered, Failed int
}

// Stats creates summaries and series of what a caller can see. It is safe for concurrent use.
type Stats struct {
	DB        *db.DB
	Directory *account.Directory
	Now       clock.Now
}

// Summarize summarizes the newest n messages of the account, or for a test key the newest n simulated ones.
func (s *Stats) Summarize(ctx context.Context, c *account.Caller, n int) (*Summary, error) {
	if err := account.MayReadAccountStatistics.Check(c, s.Now()); err != nil {
		return nil, err
	}
	a := c.Account
	q := s.DB.Read(ctx)
	list, err := newest(q, a.ID, n, c.SandboxOnly())
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

package griot

import (
	"context"
	"time"
)

// Analytics summarizes the results of the latest messages. Rates are between 0 and 1, and nil if the divisor is 0.
// Simulated messages are counted in SampleSize and ByStatus only.
type Analytics struct {
	Answer
	SampleSize   int                       `json:"sampleSize"` // number of messages examined
	From         time.Time                 `json:"from"`       // time at which the oldest message was accepted; zero without messages
	To           time.Time                 `json:"to"`
	ByStatus     map[MessageStatus]int     `json:"byStatus"`
	ByChannel    map[Channel]ChannelCounts `json:"byChannel"`
	DeliveryRate *float64                  `json:"deliveryRate"` // delivered messages, as a share of those accepted by a gateway
	ReadRate     *float64                  `json:"readRate"`     // read messages, as a share of those delivered
	FailureRate  *float64                  `json:"failureRate"`  // failed messages, as a share of those that failed or were accepted by a gateway
	FallbackRate *float64                  `json:"fallbackRate"` // messages tried on a second channel or with a second sender, as a share of all
	LatencyMs    Latencies                 `json:"latencyMs"`
	TopErrors    []ErrorCount              `json:"topErrors"`
	ByDay        []DayCounts               `json:"byDay"` // oldest first
	MessagesUsed int64                     `json:"messagesUsed"`
	Limit        int64                     `json:"limit"` // the daily quota; 0: unlimited
}

// ChannelCounts counts one channel's messages.
type ChannelCounts struct {
	Total     int `json:"total"`
	Sent      int `json:"sent"`
	Delivered int `json:"delivered"`
	Read      int `json:"read"`
	Failed    int `json:"failed"`
}

// Latencies are the times since a message was accepted.
type Latencies struct {
	Sent      Percentiles `json:"sent"`      // until the gateway accepted it
	Delivered Percentiles `json:"delivered"` // until the recipient received it
}

// Percentiles are durations in milliseconds, or nil without messages.
type Percentiles struct {
	P50 *int64 `json:"p50"`
	P95 *int64 `json:"p95"`
	P99 *int64 `json:"p99"`
}

// An ErrorCount is the number of messages that failed for one reason.
type ErrorCount struct {
	Code  string `json:"code"`
	Count int    `json:"count"`
}

// DayCounts counts the messages accepted on a UTC day.
type DayCounts struct {
	Date      string `json:"date"` // 2006-01-02
	Total     int    `json:"total"`
	Delivered int    `json:"delivered"`
	Failed    int    `json:"failed"`
}

// Analytics examines the newest messages of the account: 50 to 500, or 200 if sample is zero. Project keys have no access.
func (c *Client) Analytics(ctx context.Context, sample int) (*Analytics, error) {
	return get[Analytics](ctx, c, "/api/svc-analytics", query{}.number("sample", sample))
}

// A StatsFilter selects the messages to count. A zero field does not filter.
type StatsFilter struct {
	From    time.Time // accepted at this time or later; zero: 24 hours before To
	To      time.Time // accepted before this time; zero: now
	Step    string    // hour or day, in UTC; empty: day if the period is longer than three days, otherwise hour
	Channel Channel
	Project string // ID of the project
}

// Stats counts the messages of a period by hour or day.
type Stats struct {
	Answer
	From        time.Time    `json:"from"`
	To          time.Time    `json:"to"`
	Step        string       `json:"step"`
	Complete    bool         `json:"complete"`    // false: CountedFrom is later than From
	CountedFrom time.Time    `json:"countedFrom"` // hourly counts are kept for 35 days
	Buckets     []Bucket     `json:"buckets"`     // oldest first
	LatencyMs   Latencies    `json:"latencyMs"`
	TopErrors   []ErrorCount `json:"topErrors"`
	Pricing     []PriceCount `json:"pricing"` // by month and category; empty: no provider has reported prices
}

// A PriceCount counts the delivered messages of a month and a category.
type PriceCount struct {
	Month    string `json:"month"`    // in UTC, such as 2026-10
	Category string `json:"category"` // such as utility or service; other: none of the known ones
	Charged  int    `json:"charged"`  // messages for which the provider charges
	Free     int    `json:"free"`
}

// A Bucket counts the messages accepted in one hour or day.
type Bucket struct {
	At        time.Time `json:"at"` // start of the hour or day
	Total     int       `json:"total"`
	Sent      int       `json:"sent"`
	Delivered int       `json:"delivered"`
	Read      int       `json:"read"`
	Failed    int       `json:"failed"`
	Fallback  int       `json:"fallback"` // sent on another channel or with another sender than tried first
}

// Stats counts the account's messages in a period of whole hours. Percentiles are accurate to 20 %. Project keys have no access.
func (c *Client) Stats(ctx context.Context, f StatsFilter) (*Stats, error) {
	q := query{}.time("from", f.From).time("to", f.To).text("step", f.Step).text("channel", string(f.Channel)).text("projectId", f.Project)
	return get[Stats](ctx, c, "/api/stats", q)
}

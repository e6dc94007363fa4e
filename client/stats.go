package griot

import (
	"context"
	"time"
)

// Analytics counts what happened to the latest messages. Rates are 0 to 1, and nil where
// there is nothing to divide by; simulated messages are in SampleSize and ByStatus only.
type Analytics struct {
	Answer
	SampleSize   int                       `json:"sampleSize"` // messages looked at
	From         time.Time                 `json:"from"`       // when the oldest was accepted; zero without any
	To           time.Time                 `json:"to"`
	ByStatus     map[MessageStatus]int     `json:"byStatus"`
	ByChannel    map[Channel]ChannelCounts `json:"byChannel"`
	DeliveryRate *float64                  `json:"deliveryRate"` // delivered, of those that a gateway took
	ReadRate     *float64                  `json:"readRate"`     // read, of those delivered
	FailureRate  *float64                  `json:"failureRate"`  // failed, of those that a gateway took or that failed
	FallbackRate *float64                  `json:"fallbackRate"` // tried on a second channel or by a second sender, of all
	LatencyMs    Latencies                 `json:"latencyMs"`
	TopErrors    []ErrorCount              `json:"topErrors"`
	ByDay        []DayCounts               `json:"byDay"` // the oldest first
	MessagesUsed int64                     `json:"messagesUsed"`
	Limit        int64                     `json:"limit"` // the day's; 0: none
}

// ChannelCounts counts one channel's messages.
type ChannelCounts struct {
	Total     int `json:"total"`
	Sent      int `json:"sent"`
	Delivered int `json:"delivered"`
	Read      int `json:"read"`
	Failed    int `json:"failed"`
}

// Latencies is how long it took from acceptance.
type Latencies struct {
	Sent      Percentiles `json:"sent"`      // until a gateway had it
	Delivered Percentiles `json:"delivered"` // until the recipient had it
}

// Percentiles are in milliseconds; nil without messages.
type Percentiles struct {
	P50 *int64 `json:"p50"`
	P95 *int64 `json:"p95"`
	P99 *int64 `json:"p99"`
}

// ErrorCount is how often messages failed for a reason.
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

// Analytics looks at the newest messages of the account: 50 to 500, or 200 when
// sample is zero. A project's key has no access.
func (c *Client) Analytics(ctx context.Context, sample int) (*Analytics, error) {
	return get[Analytics](ctx, c, "/api/svc-analytics", query{}.number("sample", sample))
}

// StatsFilter says which messages to count; a zero member filters nothing.
type StatsFilter struct {
	From    time.Time // accepted then or later; zero: 24 hours before To
	To      time.Time // accepted before; zero: now
	Step    string    // hour or day, of UTC; empty: by days when the time is longer than three
	Channel Channel
	Project string // its id
}

// Stats counts the messages of a time, step by step.
type Stats struct {
	Answer
	From        time.Time    `json:"from"`
	To          time.Time    `json:"to"`
	Step        string       `json:"step"`
	Complete    bool         `json:"complete"`    // false: CountedFrom is later than From
	CountedFrom time.Time    `json:"countedFrom"` // counts by the hour are kept for 35 days
	Buckets     []Bucket     `json:"buckets"`     // the oldest first
	LatencyMs   Latencies    `json:"latencyMs"`
	TopErrors   []ErrorCount `json:"topErrors"`
}

// Bucket counts the messages accepted in one step.
type Bucket struct {
	At        time.Time `json:"at"` // when the step begins
	Total     int       `json:"total"`
	Sent      int       `json:"sent"`
	Delivered int       `json:"delivered"`
	Read      int       `json:"read"`
	Failed    int       `json:"failed"`
	Fallback  int       `json:"fallback"` // went on another channel, or by another sender, than first tried
}

// Stats counts the account's messages in a time, in whole hours. Percentiles are accurate to 20 %. A project's key has no
// access.
func (c *Client) Stats(ctx context.Context, f StatsFilter) (*Stats, error) {
	q := query{}.time("from", f.From).time("to", f.To).text("step", f.Step).text("channel", string(f.Channel)).text("projectId", f.Project)
	return get[Stats](ctx, c, "/api/stats", q)
}

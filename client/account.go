package griot

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
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
	q := url.Values{}
	if sample != 0 {
		q.Set("sample", strconv.Itoa(sample))
	}
	out := &Analytics{}
	if err := c.do(ctx, call{method: http.MethodGet, path: withQuery("/api/svc-analytics", q)}, out); err != nil {
		return nil, err
	}
	return out, nil
}

// GroupPage is the WhatsApp groups that the account can write to.
type GroupPage struct {
	Answer
	Groups     []Group `json:"groups"`
	Count      int     `json:"count"`
	Incomplete bool    `json:"incomplete"` // a gateway could not list its groups: there may be others
}

// Group is a WhatsApp group.
type Group struct {
	ID           string `json:"id"` // for [Message.GroupID]
	Name         string `json:"name"`
	Participants int    `json:"participants"`
	IsAdmin      bool   `json:"isAdmin"` // one of the account's senders administers it
}

// Groups lists the WhatsApp groups that the account's senders belong to. A project's key has no access.
func (c *Client) Groups(ctx context.Context) (*GroupPage, error) {
	out := &GroupPage{}
	if err := c.do(ctx, call{method: http.MethodGet, path: "/api/partner/whatsapp/groups"}, out); err != nil {
		return nil, err
	}
	return out, nil
}

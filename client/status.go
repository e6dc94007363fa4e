package griot

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Status is what is known of a message. Times that have not come are zero.
type Status struct {
	Answer
	MessageID         string            `json:"messageId"`
	NotifMessageID    string            `json:"notifMessageId"`
	ProviderMessageID string            `json:"providerMessageId"` // the gateway's own
	Channel           Channel           `json:"channel"`
	RequestedChannel  Channel           `json:"requestedChannel"`
	To                string            `json:"to"`
	Status            MessageStatus     `json:"status"`
	CreatedAt         time.Time         `json:"createdAt"`
	ScheduledAt       time.Time         `json:"scheduledAt"`
	SentAt            time.Time         `json:"sentAt"`
	DeliveredAt       time.Time         `json:"deliveredAt"`
	ReadAt            time.Time         `json:"readAt"`
	FailedAt          time.Time         `json:"failedAt"`
	ExpiresAt         time.Time         `json:"expiresAt"`
	Attempts          int64             `json:"attempts"`
	SenderID          string            `json:"senderId"`
	GroupID           string            `json:"groupId"`
	ProjectID         string            `json:"projectId"`
	Sandbox           bool              `json:"sandbox"`
	Sensitive         bool              `json:"sensitive"`
	Metadata          map[string]string `json:"metadata"` // what was sent with it
	Error             *Failure          `json:"error"`    // why it failed; nil: it did not
	Events            []Event           `json:"events"`   // what happened, the oldest first
}

// Failure is why an attempt failed.
type Failure struct {
	Code         string `json:"code"`
	Message      string `json:"message"`
	ProviderCode string `json:"providerCode"` // the gateway's own
	Retryable    bool   `json:"retryable"`    // the same message may work later
}

// Event is one line of a message's timeline.
type Event struct {
	Status  MessageStatus `json:"status"`
	At      time.Time     `json:"at"`
	Channel Channel       `json:"channel"`
	Error   *Failure      `json:"error"`
	Note    string        `json:"note"` // why, in a few words
}

// Status returns the state of a message, by its messageId or its notifMessageId.
func (c *Client) Status(ctx context.Context, messageID string) (*Status, error) {
	out := &Status{}
	if err := c.do(ctx, call{method: http.MethodGet, path: "/api/status/" + url.PathEscape(messageID)}, out); err != nil {
		return nil, err
	}
	return out, nil
}

// LogFilter says which messages to list; a zero member filters nothing.
type LogFilter struct {
	Limit    int // at most 200; zero: 50
	Status   MessageStatus
	Channel  Channel
	To       string
	Since    time.Time         // accepted then or later
	Cursor   string            // NextCursor of the page before
	Metadata map[string]string // each of these, at most four
}

// LogPage is a page of messages, the newest first.
type LogPage struct {
	Answer
	Logs       []LogItem `json:"logs"`
	Count      int       `json:"count"`
	NextCursor string    `json:"nextCursor"` // empty: this is the last page
}

// LogItem is a message in a list.
type LogItem struct {
	MessageID        string            `json:"messageId"`
	NotifMessageID   string            `json:"notifMessageId"`
	Channel          Channel           `json:"channel"`
	RequestedChannel Channel           `json:"requestedChannel"`
	To               string            `json:"to"`
	Status           MessageStatus     `json:"status"`
	Type             string            `json:"type"`
	Preview          string            `json:"preview"` // empty for sensitive messages
	Subject          string            `json:"subject"`
	Source           string            `json:"source"`
	Sandbox          bool              `json:"sandbox"`
	ProjectID        string            `json:"projectId"`
	SenderID         string            `json:"senderId"`
	GroupID          string            `json:"groupId"`
	ErrorCode        string            `json:"errorCode"`
	Attempts         int64             `json:"attempts"`
	Metadata         map[string]string `json:"metadata"`
	CreatedAt        time.Time         `json:"createdAt"`
	SentAt           time.Time         `json:"sentAt"`
	DeliveredAt      time.Time         `json:"deliveredAt"`
}

// Logs lists the latest messages, the newest first. With a filter, a page may be short
// or empty and not the last: that is the one without a NextCursor.
func (c *Client) Logs(ctx context.Context, f LogFilter) (*LogPage, error) {
	q := url.Values{}
	set := func(name, value string) {
		if value != "" {
			q.Set(name, value)
		}
	}
	if f.Limit != 0 {
		set("limit", strconv.Itoa(f.Limit))
	}
	set("status", string(f.Status))
	set("channel", string(f.Channel))
	set("to", f.To)
	set("cursor", f.Cursor)
	for name, text := range f.Metadata {
		set("metadata["+name+"]", text)
	}
	if !f.Since.IsZero() {
		set("since", f.Since.UTC().Format(time.RFC3339Nano))
	}
	out := &LogPage{}
	if err := c.do(ctx, call{method: http.MethodGet, path: withQuery("/api/svc-logs", q)}, out); err != nil {
		return nil, err
	}
	return out, nil
}

func withQuery(path string, q url.Values) string {
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

package griot

import (
	"context"
	"iter"
	"time"
)

// A LogFilter selects messages. A zero field does not filter.
type LogFilter struct {
	Limit    int // at most 200; zero: 50
	Status   MessageStatus
	Channel  Channel
	To       string
	Since    time.Time         // accepted at this time or later
	Until    time.Time         // accepted before this time
	Cursor   string            // NextCursor of the previous page
	Metadata map[string]string // all of these pairs; at most four
	Query    string            // this ID, or part of the number, address, text, or subject
	SenderID string
	Code     string // error code of the latest failure
	Source   string // api, batch, otp, inbox, mcp, cli, dashboard, or notice
	Project  string // ID of the project
}

// A LogPage is a page of messages, newest first.
type LogPage struct {
	Answer
	Logs       []LogItem `json:"logs"`
	Count      int       `json:"count"`
	NextCursor string    `json:"nextCursor"` // empty: last page
}

// A LogItem is a message in a list.
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

// Logs lists messages, newest first. With a filter, a page can be short or empty although more pages follow. The last
// page has no NextCursor.
func (c *Client) Logs(ctx context.Context, f LogFilter) (*LogPage, error) {
	q := query{}.number("limit", f.Limit).text("cursor", f.Cursor).text("status", string(f.Status)).text("channel", string(f.Channel)).
		text("to", f.To).time("since", f.Since).time("until", f.Until).text("q", f.Query).text("senderId", f.SenderID).text("errorCode", f.Code).text("source", f.Source).text("projectId", f.Project)
	for name, text := range f.Metadata {
		q.text("metadata["+name+"]", text)
	}
	return get[LogPage](ctx, c, "/api/svc-logs", q)
}

// AllLogs iterates over the messages on all pages of [Client.Logs].
func (c *Client) AllLogs(ctx context.Context, f LogFilter) iter.Seq2[LogItem, error] {
	return pages(f.Cursor, func(cursor string) ([]LogItem, string, error) {
		f.Cursor = cursor
		page, err := c.Logs(ctx, f)
		if err != nil {
			return nil, "", err
		}
		return page.Logs, page.NextCursor, nil
	})
}

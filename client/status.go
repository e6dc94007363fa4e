package griot

import (
	"context"
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
	Status   MessageStatus `json:"status"`
	At       time.Time     `json:"at"`
	Channel  Channel       `json:"channel"`
	SenderID string        `json:"senderId"`
	Error    *Failure      `json:"error"`
	Note     string        `json:"note"` // why, in a few words
}

// Status returns the state of a message, by its messageId or its notifMessageId.
func (c *Client) Status(ctx context.Context, messageID string) (*Status, error) {
	path, err := at("/api/status/", "messageId", messageID, "")
	if err != nil {
		return nil, err
	}
	return get[Status](ctx, c, path, nil)
}

package griot

import (
	"context"
	"time"
)

// A Status is the state and history of a message. Times that are not reached are zero.
type Status struct {
	Answer
	MessageID         string            `json:"messageId"`
	NotifMessageID    string            `json:"notifMessageId"`
	ProviderMessageID string            `json:"providerMessageId"` // the gateway's ID
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
	Metadata          map[string]string `json:"metadata"` // the metadata that was sent with the message
	Pricing           *Pricing          `json:"pricing"`  // nil: the provider has reported no price
	Error             *Failure          `json:"error"`    // the reason for the failure; nil: it did not fail
	Events            []Event           `json:"events"`   // oldest first
}

// A Pricing is what the provider has reported about the price of a message.
type Pricing struct {
	Billable bool   `json:"billable"` // the provider charges for the message
	Category string `json:"category"` // such as utility or service; empty: not reported
}

// A Failure is the reason why an attempt failed.
type Failure struct {
	Code         string `json:"code"`
	Message      string `json:"message"`
	ProviderCode string `json:"providerCode"` // the gateway's error code
	Retryable    bool   `json:"retryable"`    // the same message might succeed later
}

// An Event is an entry of a message's timeline.
type Event struct {
	Status   MessageStatus `json:"status"`
	At       time.Time     `json:"at"`
	Channel  Channel       `json:"channel"`
	SenderID string        `json:"senderId"`
	Error    *Failure      `json:"error"`
	Note     string        `json:"note"` // a short explanation
}

// Status returns the state of a message. The ID is its messageId or its notifMessageId.
func (c *Client) Status(ctx context.Context, messageID string) (*Status, error) {
	path, err := at("/api/status/", "messageId", messageID, "")
	if err != nil {
		return nil, err
	}
	return get[Status](ctx, c, path, nil)
}

package griot

import (
	"context"
	"time"
)

// A KeyInfo describes an API key: its owner and its permissions.
type KeyInfo struct {
	Answer
	Kind     string      `json:"kind"` // live, test, or project
	Account  Named       `json:"account"`
	Project  *Named      `json:"project"` // nil, except for project keys
	Plan     string      `json:"plan"`    // the plan in effect
	Usage    Usage       `json:"usage"`
	Features KeyFeatures `json:"features"`
}

// A Named is an account or a project.
type Named struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Usage is the used and remaining part of a daily quota.
type Usage struct {
	Date         string    `json:"date"` // a UTC day, as 2006-01-02
	MessagesUsed int64     `json:"messagesUsed"`
	Limit        *int64    `json:"limit"`     // nil: unlimited
	Remaining    *int64    `json:"remaining"` // nil: unlimited
	ResetAt      time.Time `json:"resetAt"`
}

// KeyFeatures are the features that a key can use in addition to sending.
type KeyFeatures struct {
	Inbox bool `json:"inbox"`
	MCP   bool `json:"mcp"` // the MCP endpoint for assistants
}

// DescribeKey returns the owner and the permissions of the client's key. It works with any key.
func (c *Client) DescribeKey(ctx context.Context) (*KeyInfo, error) {
	return get[KeyInfo](ctx, c, "/api/key", nil)
}

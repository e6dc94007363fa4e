package griot

import (
	"context"
	"time"
)

// KeyInfo is whose a key is, and what it opens.
type KeyInfo struct {
	Answer
	Kind     string      `json:"kind"` // live, test, or project
	Account  Named       `json:"account"`
	Project  *Named      `json:"project"` // nil, unless it is a project's
	Plan     string      `json:"plan"`    // that counts now
	Usage    Usage       `json:"usage"`
	Features KeyFeatures `json:"features"`
}

// Named is an account or a project.
type Named struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Usage is what was used of a day's quota.
type Usage struct {
	Date         string    `json:"date"` // 2006-01-02, of UTC
	MessagesUsed int64     `json:"messagesUsed"`
	Limit        *int64    `json:"limit"`     // nil: none
	Remaining    *int64    `json:"remaining"` // nil likewise
	ResetAt      time.Time `json:"resetAt"`
}

// KeyFeatures are what a key opens beyond sending.
type KeyFeatures struct {
	Inbox bool `json:"inbox"`
	MCP   bool `json:"mcp"` // the assistant endpoint
}

// DescribeKey returns whose the client's key is. It works with any key.
func (c *Client) DescribeKey(ctx context.Context) (*KeyInfo, error) {
	return get[KeyInfo](ctx, c, "/api/key", nil)
}

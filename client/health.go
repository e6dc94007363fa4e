package griot

import "context"

// Health is a service that works.
type Health struct {
	Answer
	Status  string `json:"status"` // ok
	Service string `json:"service"`
}

// Health asks whether the service works: whether it is there, and reaches its storage.
func (c *Client) Health(ctx context.Context) (*Health, error) {
	return get[Health](ctx, c, "/healthz", nil)
}

package griot

import "context"

// Health is the response of a service that works.
type Health struct {
	Answer
	Status  string `json:"status"` // ok
	Service string `json:"service"`
}

// Health checks whether the service responds and reaches its storage.
func (c *Client) Health(ctx context.Context) (*Health, error) {
	return get[Health](ctx, c, "/healthz", nil)
}

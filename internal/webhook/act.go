package webhook

import (
	"context"
	"net/url"

	"example.com/griot/internal/db"
)

// Act is an action on an endpoint or its events.
type Act string

// The acts, with their targets in parentheses.
const (
	ActSet          Act = "set" // (the URL's scheme and host, because its path might be a secret)
	ActRemoved      Act = "removed"
	ActEnabled      Act = "enabled"
	ActDisabled     Act = "disabled"
	ActRotated      Act = "secret_rotated"
	ActResent       Act = "event_resent"  // (the event's id)
	ActResentFailed Act = "failed_resent" // (start time, RFC 3339)
)

// record returns the write that records an act. It must be called before the act's transaction.
func (e *Endpoints) record(ctx context.Context, act Act, ownerID, target string) func(*db.Tx) error {
	if e.Record == nil {
		return func(*db.Tx) error { return nil }
	}
	return e.Record(ctx, act, ownerID, target)
}

// origin returns the scheme and the host of an address.
func origin(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

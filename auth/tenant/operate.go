package tenant

import (
	"context"

	"example.com/griot/internal/db"
)

// SwitchClient switches a client on or off, by its public identifier; found is
// false when there is none. Other nodes see it within 30 seconds.
func (s *Store) SwitchClient(ctx context.Context, by Author, clientID string, active bool) (c *Client, found bool, err error) {
	if c, err = s.selectClient(ctx, clientID); err != nil || c == nil {
		return nil, false, err
	}
	c.Active = active
	updated := by.event(c, ClientUpdated, s.now())
	defer s.cache.invalidate(clientID)
	err = s.db.Write(ctx, func(tx *db.Tx) error {
		// Only this column: a dashboard may be replacing the addresses meanwhile.
		if err := updateActive(tx, c.ID, active); err != nil {
			return err
		}
		return Record(tx, updated)
	})
	return c, err == nil, err
}

// InvitationOwner returns the tenant of an invitation; found is false when there is none of that id.
func (s *Store) InvitationOwner(ctx context.Context, invitationID string) (tenantID string, found bool, err error) {
	return s.selectInvitationTenant(ctx, invitationID)
}

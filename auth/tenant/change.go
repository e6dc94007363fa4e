package tenant

import (
	"context"
	"encoding/json"
	"fmt"

	"griot/internal/db"
)

// SetRedirectURIs replaces a client's redirect addresses, 1 to 20, as creation
// checks them. Other nodes see it within 30 seconds.
func (s *Store) SetRedirectURIs(ctx context.Context, clientID string, redirectURIs []string) error {
	c, err := s.selectClient(ctx, clientID)
	if err != nil {
		return err
	}
	if c == nil {
		return fmt.Errorf("%w: no such client", ErrClient)
	}
	if err := check(c.Type, c.Mode, redirectURIs); err != nil {
		return err
	}
	uris, err := json.Marshal(redirectURIs)
	if err != nil {
		return err
	}
	defer s.cache.forget(clientID)
	return s.db.Write(ctx, func(tx *db.Tx) error {
		_, err := tx.Exec(`UPDATE oauth_clients SET redirect_uris = $1 WHERE client_id = $2`, string(uris), clientID)
		return err
	})
}

func (c *cache) forget(clientID string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.byID, clientID)
}

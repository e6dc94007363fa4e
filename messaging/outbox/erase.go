package outbox

import (
	"context"
	"fmt"

	"example.com/griot/internal/db"
	"example.com/griot/messaging/inbox"
	"example.com/griot/messaging/message"
)

// Erase replaces the recipient's personal data in a message that has ended, and deletes the IDs by which gateways
// know the message. It returns false if the message has changed since it was read, or has not ended. alsoStore writes
// more data in the same transaction.
func (s *Store) Erase(ctx context.Context, m *message.Message, pseudonym string, alsoStore func(*db.Tx) error) (erased bool, err error) {
	after := *m
	after.Erase(pseudonym)
	defer s.recent.forget(m.ID)
	err = s.db.Write(ctx, func(tx *db.Tx) error {
		n, err := tx.Exec(`UPDATE messages SET recipient = $1, address = $2, content = $3, metadata = NULL, provider_id = NULL, options = $4, tried_routes = $5, conversation_id = NULL, order_key = NULL, version = version + 1
 WHERE id = $6 AND version = $7 AND due_at IS NULL AND status NOT IN ('SCHEDULED', 'QUEUED', 'SENDING')`,
			after.To, after.Address, after.StoredContent(), db.Null(after.StoredOptions()), db.Null(after.StoredTried()), m.ID, m.Version)
		if erased = n == 1; err != nil || !erased {
			return err
		}
		if err := keepKey(tx, s.sweptKeys, m); err != nil { // the key might contain the recipient's number
			return err
		}
		if err := inbox.DeleteSent(tx, m); err != nil {
			return err
		}
		if err := deleteRefs(tx, m); err != nil {
			return err
		}
		return alsoStore(tx)
	})
	return erased, err
}

// deleteRefs deletes gateways' IDs of a message, because some gateways include the recipient's number in them.
func deleteRefs(tx *db.Tx, m *message.Message) error {
	for i, r := range append(append([]message.Route(nil), m.Tried...), m.Route()) {
		if r.ProviderID == "" {
			continue
		}
		if _, err := tx.Exec(`DELETE FROM provider_refs WHERE gateway = $1 AND provider_id = $2 AND ref IN ($3, $4)`, r.Gateway, r.ProviderID, m.ID, fmt.Sprintf("%s-%d", m.ID, i+1)); err != nil {
			return err
		}
	}
	return nil
}

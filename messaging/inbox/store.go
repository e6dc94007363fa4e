package inbox

import (
	"time"

	"griot/gateway"
	"griot/internal/db"
	"griot/messaging/account"
)

// insert reports false when the gateway has given us this message before.
func insert(tx *db.Tx, messageID string, s *account.Sender, in gateway.Inbound, now time.Time) (bool, error) {
	n, err := tx.Exec(`INSERT INTO inbound_messages (id, account_id, sender_id, provider_id, channel, from_address, display_name, text, at, received_at)
 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (sender_id, provider_id) DO NOTHING`,
		messageID, s.AccountID, s.ID, in.ID, string(in.Channel), in.From, db.Null(in.DisplayName), in.Text, db.Ms(in.At), db.Ms(now))
	return n == 1, err
}

package message

import "griot/internal/db"

// Remember ties an idempotency key to a message. It reports false, changing
// nothing, when the key is tied already.
func Remember(tx *db.Tx, accountID, key, messageID, fingerprint string) (bool, error) {
	n, err := tx.Exec(`INSERT INTO idempotency_keys (account_id, key, message_id, fingerprint) VALUES ($1, $2, $3, $4) ON CONFLICT (account_id, key) DO NOTHING`,
		accountID, key, messageID, fingerprint)
	return n == 1, err
}

// Forget unties a key from the message to which this transaction has tied it.
func Forget(tx *db.Tx, accountID, key, messageID string) error {
	_, err := tx.Exec(`DELETE FROM idempotency_keys WHERE account_id = $1 AND key = $2 AND message_id = $3`, accountID, key, messageID)
	return err
}

// Remembered returns what a key is tied to; found is false for a fresh key.
func Remembered(q *db.Query, accountID, key string) (messageID, fingerprint string, found bool, err error) {
	found, err = q.Row(`SELECT message_id, fingerprint FROM idempotency_keys WHERE account_id = $1 AND key = $2`, accountID, key).Scan(&messageID, &fingerprint)
	return messageID, fingerprint, found, err
}

package tenant

import "example.com/griot/internal/db"

// SetWebhook stores the address of a tenant's endpoint; an empty one removes it.
func SetWebhook(tx *db.Tx, tenantID, url string) error {
	_, err := tx.Exec(`UPDATE tenants SET webhook_url = $1 WHERE id = $2`, db.Null(url), tenantID)
	return err
}

// SetWebhookSecret stores the sealed secret that signs a tenant's events.
func SetWebhookSecret(tx *db.Tx, tenantID, sealed string) error {
	_, err := tx.Exec(`UPDATE tenants SET webhook_secret = $1 WHERE id = $2`, sealed, tenantID)
	return err
}

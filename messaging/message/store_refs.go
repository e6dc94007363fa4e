package message

import (
	"time"

	"griot/internal/db"
)

// KeepProviderRef stores under which id a gateway's receipts will name a reference.
func KeepProviderRef(tx *db.Tx, gateway, providerID, ref string, at time.Time) error {
	_, err := tx.Exec(`INSERT INTO provider_refs (gateway, provider_id, ref, at) VALUES ($1, $2, $3, $4)
 ON CONFLICT (gateway, provider_id) DO UPDATE SET ref = excluded.ref, at = excluded.at`, gateway, providerID, ref, db.Ms(at))
	return err
}

// ProviderRef returns the reference that a gateway knows by an id; "" for none.
func ProviderRef(q *db.Query, gateway, providerID string) (ref string, err error) {
	_, err = q.Row(`SELECT ref FROM provider_refs WHERE gateway = $1 AND provider_id = $2`, gateway, providerID).Scan(&ref)
	return ref, err
}

// ForgetProviderRefs removes up to n that are older than before, and returns how many it removed.
func ForgetProviderRefs(tx *db.Tx, before time.Time, n int) (int64, error) {
	return tx.Exec(`DELETE FROM provider_refs WHERE (gateway, provider_id) IN (SELECT gateway, provider_id FROM provider_refs WHERE at < $1 ORDER BY at LIMIT $2)`, db.Ms(before), n)
}

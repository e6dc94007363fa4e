package message

import "example.com/griot/internal/db"

// ProviderRef returns the reference that a gateway knows by an id of its own; "" for none.
func ProviderRef(q *db.Query, gateway, providerID string) (ref string, err error) {
	_, err = q.Row(`SELECT ref FROM provider_refs WHERE gateway = $1 AND provider_id = $2`, gateway, providerID).Scan(&ref)
	return ref, err
}

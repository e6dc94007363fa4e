package message

import "example.com/griot/internal/db"

// ProviderRef returns the reference of a message with a gateway's own ID, or "" if there is none.
func ProviderRef(q *db.Query, gateway, providerID string) (ref string, err error) {
	_, err = q.Row(`SELECT ref FROM provider_refs WHERE gateway = $1 AND provider_id = $2`, gateway, providerID).Scan(&ref)
	return ref, err
}

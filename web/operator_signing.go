package web

import "time"

// The operator's page of signing keys.
const (
	PageOperatorSigningKeys = "operator_signing" // OperatorSigningKeys
)

// OperatorSigningKeys lists the keys that sign tokens.
type OperatorSigningKeys struct {
	URL     string
	Keys    []OperatorSigningKey
	HasNext bool // a published key doesn't sign yet
	Pages   Pagination
}

// OperatorSigningKey is a key that signs tokens.
type OperatorSigningKey struct {
	Kid                             string
	State                           Badge
	PublishedAt, SignsAt, StoppedAt time.Time
}

package web

import "time"

// The operator's pages of tenants and signing keys.
const (
	PageOperatorTenants     = "operator_tenants" // OperatorTenants
	PageOperatorTenant      = "operator_tenant"  // OperatorTenant
	PageOperatorSigningKeys = "operator_signing" // OperatorSigningKeys
)

// OperatorTenants lists tenants, and asks for the name of a new one.
type OperatorTenants struct {
	URL, Query string
	Tenants    []OperatorTenantLine
	Name       Field
	Pages      Pagination
}

// OperatorTenantLine is a tenant.
type OperatorTenantLine struct {
	URL, ID, Name string
	CreatedAt     time.Time
}

// OperatorTenant is the page of one tenant.
type OperatorTenant struct {
	OperatorTenantLine

	TenantsURL  string
	EventsURL   string
	Clients     []OperatorClient
	Invitations []OperatorInvitation
	Days        Field
	Rename      Field
	Endpoint    OperatorEndpoint
	Pages       Pagination // of clients and invitations
}

// OperatorClient is a client of a tenant.
type OperatorClient struct {
	SwitchURL, RotateURL, DeleteURL, ID, ClientID, Mode string
	Confidential, Active                                bool
}

// OperatorInvitation is a key to a tenant's dashboard.
type OperatorInvitation struct {
	ID                   string
	SingleUse            bool
	CreatedAt, ExpiresAt time.Time
	State                Badge
	RevokeURL            string // empty: it is revoked
}

// OperatorSigningKeys lists the keys that sign tokens.
type OperatorSigningKeys struct {
	URL     string
	Keys    []OperatorSigningKey
	HasNext bool // one is published that does not sign yet
	Pages   Pagination
}

// OperatorSigningKey is a key that signs tokens.
type OperatorSigningKey struct {
	Kid                             string
	State                           Badge
	PublishedAt, SignsAt, StoppedAt time.Time
}

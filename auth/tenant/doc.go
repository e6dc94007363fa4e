// Package tenant keeps who uses the auth service: tenants, their OAuth clients,
// the invitations to their dashboard, and the audit events that tell a tenant
// what happened.
//
// Secrets are random, so the database keeps only their SHA-256 (DESIGN §7); each
// is returned once, by the function that makes it. Clients are read on every
// login and every exchange, and so are cached for up to 30 seconds; a change made
// through a [Store] shows in that Store at once. Events are redacted when they are
// recorded, in the transaction of what they tell about.
package tenant

// Package tenant stores tenants, their OAuth clients, the invitations to their
// dashboard, and their audit events.
//
// Secrets are random, so the database contains only their SHA-256. Each secret is
// returned once, by the function that creates it. Clients are read on every login and
// every exchange, so they are cached for up to 30 seconds. A change made through a
// [Store] is visible in that Store immediately. Secrets are compared with the row, not
// the cache. Events are redacted when they are recorded, in the transaction of the
// change that they describe.
package tenant

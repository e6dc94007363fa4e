// Package tenant stores tenants, their OAuth clients, the invitations to their
// dashboard, and their audit events.
//
// Secrets are random, so the database holds only their SHA-256; each is returned
// once, by the function that makes it. Clients are read on every login and every
// exchange, so they are cached for up to 30 seconds; a change made through a [Store]
// shows in that Store at once. Secrets are compared with the row. Events are redacted
// when they are recorded, in the transaction of the change that they describe.
package tenant

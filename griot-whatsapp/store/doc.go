// Package store contains the gateway's persistent data: the paired numbers with whatsmeow's keys and sessions, the
// leases of the numbers, the accepted references, the events that Griot does not have yet, and the people who have
// written.
//
// The database driver (internal/db) encrypts all binary values: whatsmeow's private keys, sessions, sender keys,
// message secrets, and buffered messages, and the gateway's own events and questions. Texts are not encrypted:
// numbers, WhatsApp's IDs, display names of people, states, times, and references.
package store

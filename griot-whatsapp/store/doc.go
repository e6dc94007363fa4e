// Package store keeps what the gateway must not forget: the paired numbers with whatsmeow's keys and sessions, who holds which
// number, the references that were taken, the events that Griot does not have yet, and who has written.
//
// Everything binary is sealed by the database's driver (internal/db): whatsmeow's private keys, sessions, sender keys, message
// secrets, and buffered messages, and of ours the events and questions. Texts are not: numbers, WhatsApp's ids, the display
// names of people, states, times, and references.
package store

// Package messagingtest is the test world of the messaging service's packages: an
// account with senders and keys on a real database, a delivery engine, and a scripted
// gateway. Waits are bounded, and end when an engine or the gateway signals a change.
package messagingtest

// Package messagingtest makes small worlds for the messaging service's tests: an
// account with senders and keys on a real database, an engine, and a scripted
// gateway at the edge.
package messagingtest

// Package messagingtest is the test world for the packages of the messaging service: an account with senders and keys
// on a real database, a delivery engine, and a scripted gateway. Waits have a time limit, and end when an engine or
// the gateway signals a change.
package messagingtest

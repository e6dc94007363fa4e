// Package connections monitors the connections of senders, and writes an event for the account when one changes: a number
// was logged out, banned, or disconnected, or is connected again.
//
// In a deployment of several processes, only one process monitors the connections, because other processes might see
// them in other states. A lease ensures this. The process checks every few seconds. A new state is reported after it
// has lasted for a while, so that a short interruption causes no event. The new state is written with a conditional
// UPDATE in one transaction with its event, so that each change causes exactly one event, even if the process dies.
// The latest states of each sender are stored for display.
package connections

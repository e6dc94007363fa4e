// Package health monitors the connections of senders, and writes an event for the account when one changes: a number was
// logged out, banned, or disconnected, or is connected again.
//
// In a deployment of several processes one monitors, by a lease, because another may see its connections in other
// states. It checks every few seconds, and a new state counts once it has lasted a while, so that a short interruption
// makes no event. The new state is written by a guarded UPDATE in one transaction with its event, so that each change
// makes one event, also when the process dies. The latest states of each sender are kept, for who looks after it.
package health

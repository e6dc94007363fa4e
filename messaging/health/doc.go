// Package health tells accounts when the connection of one of their senders
// changes: that a number was logged out, banned or cut off, and that it is back.
//
// One process looks, because another one's connections may be otherwise. It looks
// every few seconds, and a state counts once it has lasted a while, so that what
// comes back by itself tells nobody. The change is written by a guarded UPDATE in
// one transaction with its event: it is told once, whatever becomes of the process.
package health

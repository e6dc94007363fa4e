// Package optout stores the recipients who must not get messages from an account: people who replied STOP or
// unsubscribed, to us or at the provider, and mailboxes that bounced or complained. One-time codes are still sent to them.
package optout

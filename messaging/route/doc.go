// Package route selects the sender for a message, and the next one if that sender cannot send it. It consists of pure
// functions of the message, the account's senders, and the state of their gateways.
package route

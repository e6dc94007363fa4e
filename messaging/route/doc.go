// Package route decides which sender a message goes by, and which one next when
// that one cannot: pure functions of the message, the account's senders, and the
// state of their gateways.
package route

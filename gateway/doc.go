// Package gateway sends the messages of both services to people, and receives the messages that people send. It does
// not depend on logins or accounts.
//
// A driver is a package for one kind of gateway. It returns a [Sender]. Messages are sent with [Sender.Send].
// Receipts and inbound messages are passed to the one [Sink], which returns only after it has stored them, so that a
// driver never acknowledges data to its provider that could be lost. The optional interfaces that a driver implements
// show its abilities beyond sending. Every driver passes the tests of package gatewaytest.
package gateway

// Package gateway sends both services' messages to people, and brings in the
// messages that people send. It knows neither logins nor accounts.
//
// A driver is a package for one kind of gateway; it returns a [Sender].
// Messages go out through [Sender.Send]; receipts and inbound messages
// come in through the one [Sink], which returns only after they are stored, so
// that a driver acknowledges to its provider only what cannot be lost. What a driver
// can do beyond sending shows in the optional interfaces that it implements.
// Package gatewaytest is the test that every driver passes.
package gateway

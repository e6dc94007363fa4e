// Package gateway is what both services use to reach people, and through
// which people's messages come in. It knows neither logins nor accounts.
//
// A driver is a package that speaks to one kind of gateway; it returns a
// [Sender]. Messages go out through [Sender.Send]; receipts and inbound messages
// come in through the one [Sink], which returns only after they are stored, so
// that a driver acknowledges upstream only what cannot be lost. What a driver
// can do beyond sending shows in the optional interfaces that it implements.
// Package gatewaytest decides whether something is a driver.
package gateway

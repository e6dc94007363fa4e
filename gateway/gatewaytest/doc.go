// Package gatewaytest is the conformance suite of the drivers.
//
// A driver's test opens it against a fake provider (a scripted SMTP server, a
// simulated SMSC, a fake HTTP API), describes both as a [Subject] and passes it to
// [Exercise]. The suite scripts the provider and checks what Send returned, what
// arrived at the provider, what reached the [Sink], and what was logged: error
// classes are right, nothing is handed over twice, nothing of a message shows in
// errors or logs, nothing is lost when the sink fails, and nothing goes on after
// Close. Facets beyond sending are found by type assertion, and only those are checked.
package gatewaytest

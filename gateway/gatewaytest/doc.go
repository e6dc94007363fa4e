// Package gatewaytest decides whether something is a driver.
//
// A driver's test opens it against a far end of its own kind (a scripted SMTP
// server, a simulated SMSC, a fake HTTP API), describes both as a [Subject] and
// hands it to [Exercise]. The suite scripts the far end and judges the driver by
// what came back, what arrived there, what reached the [Sink] and what was
// logged: the classes are right, nothing is handed over twice or by accident,
// nothing of a message shows in errors or logs, a sink that fails loses nothing,
// and nothing goes on after Close. What a driver can do beyond sending is found
// by type assertion, and only what it can do is exercised.
package gatewaytest

// Package gatewaytest is the conformance suite for drivers.
//
// The test of a driver opens it against a fake provider (a scripted SMTP server, a simulated SMSC, or a fake HTTP
// API), describes both as a [Subject], and passes it to [Exercise]. The suite scripts the provider and checks the
// results of Send, the messages at the provider, the calls of the [Sink], and the log. Error classes must be correct,
// no message is submitted twice, errors and logs contain no part of a message, nothing is lost when the sink fails,
// and no work continues after Close. The suite finds optional interfaces by type assertion and checks only those.
package gatewaytest

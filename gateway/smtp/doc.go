// Package smtp is the driver that hands email to an SMTP relay.
//
// A Send composes the [mail] before it connects. Then it takes a connection from the
// pool or opens one (TCP, TLS, EHLO, AUTH), and makes one transaction on it: MAIL, RCPT,
// DATA, content, final dot, reply. The driver does these steps itself instead of using
// the library's client, because the meaning of an error depends on the stage: up to the
// final dot nothing was handed over; after it, without a reply, the outcome is unknown.
// SMTP has neither queries nor deduplication, so an attempt with an unknown outcome is
// never repeated. Errors have no text of the relay, which may repeat addresses.
package smtp
